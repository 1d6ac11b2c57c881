#include "curve/curve_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "assay/error.h"
#include "io/csv.h"

namespace assay {
namespace {

// Where the columns we read stand; -1: not there.
struct Columns {
  Index name = -1, seed = -1, samples = -1, loss = -1, accuracy = -1;
};

Columns columns_of(const CsvTable& table, const std::string& where) {
  const auto position = [&](std::string_view title) {
    const auto found = std::ranges::find(table.header, title);
    return found == table.header.end() ? Index{-1} : Index{found - table.header.begin()};
  };
  const Columns columns{position("name"), position("seed"), position("samples"),
                        position("val_loss"), position("val_accuracy")};
  if (columns.samples < 0 || columns.loss < 0) {
    fail_input(
        fmt::format("{}: expected a header with the columns name, seed, samples, val_loss; "
                    "'{}' is missing",
                    where, columns.samples < 0 ? "samples" : "val_loss"));
  }
  return columns;
}

class CurveReader {
 public:
  CurveReader(const CsvTable& table, std::string where, LossKind kind)
      : where_(std::move(where)), kind_(kind), columns_(columns_of(table, where_)) {}

  void add(const std::vector<std::string>& row) {
    ++row_;
    const std::string name = columns_.name < 0 ? std::filesystem::path(where_).stem().string()
                                               : row[static_cast<std::size_t>(columns_.name)];
    if (name.empty()) fail("the name is empty");
    auto curve = std::ranges::find(curves_, name, &LossCurve::name);
    if (curve == curves_.end()) curve = curves_.insert(curves_.end(), LossCurve{name, {}});
    ProbeRun run{.seed = columns_.seed < 0 ? 0 : integer(row, columns_.seed, "seed"),
                 .n = integer(row, columns_.samples, "samples"),
                 .loss = loss(row)};
    if (run.n < 1) fail(fmt::format("samples is {}; expected 1 or more", run.n));
    if (columns_.accuracy >= 0) run.accuracy = accuracy(row);
    if (!seen_.insert({name, {run.seed, run.n}}).second) {
      fail(fmt::format("'{}' has a second probe of seed {} and {} samples; keep one", name,
                       run.seed, run.n));
    }
    curve->runs.push_back(run);
  }

  std::vector<LossCurve> curves() {
    if (curves_.empty()) fail_input(fmt::format("{}: no probes follow the header", where_));
    return std::move(curves_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_input(fmt::format("{}: row {}: {}", where_, row_, what));
  }

  double number(const std::vector<std::string>& row, Index column, const char* title) const {
    const std::string& text = row[static_cast<std::size_t>(column)];
    const std::optional<double> value = number_in(text);
    if (!value || !std::isfinite(*value))
      fail(fmt::format("{} is '{}'; expected a finite number", title, text));
    return *value;
  }

  Index integer(const std::vector<std::string>& row, Index column, const char* title) const {
    const double value = number(row, column, title);
    if (value != std::round(value) || std::abs(value) > 1e15)
      fail(fmt::format("{} is {}; expected an integer", title, value));
    return static_cast<Index>(value);
  }

  double loss(const std::vector<std::string>& row) const {
    const double value = number(row, columns_.loss, "val_loss");
    if (value < 0.0) fail(fmt::format("val_loss is {}; expected 0 or more", value));
    if (kind_ == LossKind::zero_one && value > 1.0)
      fail(fmt::format("val_loss is {}; a zero-one loss is at most 1", value));
    return value;
  }

  std::optional<double> accuracy(const std::vector<std::string>& row) const {
    if (row[static_cast<std::size_t>(columns_.accuracy)].empty()) return std::nullopt;
    const double value = number(row, columns_.accuracy, "val_accuracy");
    if (value < 0.0 || value > 1.0)
      fail(fmt::format("val_accuracy is {}; expected a share between 0 and 1", value));
    return value;
  }

  std::string where_;
  LossKind kind_;
  Columns columns_;
  Index row_ = 0;
  std::vector<LossCurve> curves_;
  std::set<std::pair<std::string, std::pair<Index, Index>>> seen_;
};

std::vector<LossCurve> curves_of(const CsvTable& table, const std::string& where, LossKind kind) {
  CurveReader reader(table, where, kind);
  for (const std::vector<std::string>& row : table.rows) reader.add(row);
  return reader.curves();
}

}  // namespace

std::vector<LossCurve> read_curves(const std::filesystem::path& path, LossKind kind) {
  return curves_of(read_csv_table(path), path.string(), kind);
}

std::vector<LossCurve> parse_curves(std::string_view text, const std::string& where,
                                    LossKind kind) {
  return curves_of(parse_csv(text, where), where, kind);
}

}  // namespace assay
