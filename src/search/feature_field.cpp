#include "search/feature_field.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "assay/array.h"
#include "core/clock.h"
#include "data/check_targets.h"
#include "hub/open_rows.h"
#include "search/race_order.h"

namespace assay {
namespace {

template <typename T>
Rows read_part(const RowSource& source, std::span<const Index> rows,
               const std::vector<Index>& looks, ElementType type) {
  auto bytes = std::make_shared<std::vector<std::byte>>(rows.size() * sizeof(T) *
                                                        static_cast<std::size_t>(source.cols()));
  std::size_t begin = 0;
  for (const Index end : looks) {
    auto* const out =
        reinterpret_cast<T*>(bytes->data()) + begin * static_cast<std::size_t>(source.cols());
    source.read(rows.subspan(begin, static_cast<std::size_t>(end) - begin), out);
    begin = static_cast<std::size_t>(end);
  }
  Array array;
  array.type = type;
  array.item_size = sizeof(T);
  array.shape = {static_cast<Index>(rows.size()), source.cols()};
  array.bytes = *bytes;
  array.where = source.where();
  array.buffer = std::move(bytes);
  return rows_of_array(std::move(array), {});
}

}  // namespace

std::vector<std::string> FeatureField::names() const {
  std::vector<std::string> names;
  for (const Model& model : models_.models) names.push_back(model.name);
  return names;
}

LookResult FeatureField::look(std::size_t model, const std::vector<Index>& looks) {
  const double started = monotonic_seconds();
  const Model& files = models_.models[model];
  const Rows source = open_rows(files);
  require_matching(*source, targets_);
  const std::vector<Index> rows = rows_of_look(scorer_.order(), looks);
  Rows part = source->is_double() ? read_part<double>(*source, rows, looks, ElementType::f64)
                                  : read_part<float>(*source, rows, looks, ElementType::f32);
  LookResult out;
  out.dim = source->cols();
  out.sighting = scorer_.score(files.name, std::move(part), looks);
  out.passes = looks.size() < 2 ? looks.back() : looks.back() - looks[looks.size() - 2];
  out.seconds = monotonic_seconds() - started;
  return out;
}

double model_bytes(const Model& model) {
  if (model.rows)
    return static_cast<double>(sizeof(float)) * static_cast<double>(model.rows->rows()) *
           static_cast<double>(model.rows->cols());
  double bytes = 0.0;
  for (const std::filesystem::path& file : model.features) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (!failure) bytes += static_cast<double>(size);
  }
  return bytes;
}

}  // namespace assay
