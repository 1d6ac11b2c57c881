#include "tune/write_tuned.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "io/half.h"
#include "io/npz.h"
#include "io/sha256.h"

namespace assay {
namespace {

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// (n, views, C), for the rows learnt from.
std::vector<std::uint16_t> to_float16(const TeacherTable& predictions,
                                      const std::vector<Index>& rows, Index views) {
  std::vector<std::uint16_t> out;
  for (const Index row : rows) {
    std::vector<BatchRow> batch;
    for (Index view = 0; view < views; ++view) batch.push_back({row, view});
    const Matrix numbers = predictions.read(batch);
    for (Index i = 0; i < numbers.size(); ++i)
      out.push_back(float_to_half(static_cast<float>(numbers.data()[i])));
  }
  return out;
}

}  // namespace

void write_targets(const std::filesystem::path& file, const TeacherTable& predictions, Index views,
                   const TrainingImages& data, const WeightedSet& set, const Matrix& m,
                   const Vector& intercept) {
  const auto count = static_cast<Index>(data.rows.size());
  const Index outputs = data.targets.outputs;
  const std::vector<std::uint16_t> targets = to_float16(predictions, data.rows, views);
  const Eigen::MatrixXf means = m.cast<float>();  // D x C, column-major: (C, D) in C order
  const std::vector<float> flat(means.data(), means.data() + means.size());
  const Eigen::VectorXf shift = intercept.cast<float>();
  const std::vector<float> shifts(shift.begin(), shift.end());
  std::vector<Index> labels;
  std::vector<double> values;
  for (const Index row : data.rows) {
    if (data.targets.kind == TargetKind::classes) {
      labels.push_back(data.targets.labels[static_cast<std::size_t>(row)]);
    } else {
      for (const double value : data.targets.values.col(row)) values.push_back(value);
    }
  }
  std::vector<NpzMember> members = {
      {"targets", ElementType::f16, {count, views, outputs}, bytes_of(targets)},
      {"rows", ElementType::i64, {count}, bytes_of(data.rows)},
      {"m", ElementType::f32, {outputs, m.rows()}, bytes_of(flat)},
      {"intercept", ElementType::f32, {outputs}, bytes_of(shifts)},
      {"weights",
       ElementType::f64,
       {static_cast<Index>(set.weights.size())},
       bytes_of(set.weights)}};
  if (!labels.empty()) members.push_back({"labels", ElementType::i64, {count}, bytes_of(labels)});
  if (!values.empty())
    members.push_back({"values", ElementType::f64, {count, outputs}, bytes_of(values)});
  write_npz(file, members);
}

void save_tuned_network(Trainer& trainer, const TunedWeights& weights, const TrainingImages& data,
                        const std::filesystem::path& file) {
  std::vector<float> weight = weights.head_weight;
  std::vector<float> bias = weights.head_bias;
  const auto scale = static_cast<float>(data.scale);
  for (float& w : weight) w *= scale;
  for (std::size_t c = 0; c < bias.size(); ++c)
    bias[c] = scale * bias[c] + static_cast<float>(data.mean(static_cast<Index>(c)));
  std::filesystem::create_directories(file.parent_path());
  write_file_atomically(file, {trainer.saved({weight, bias})});
}

void write_tuned_hub(const std::filesystem::path& folder, const std::vector<TuneRun>& runs,
                     const NetworkSource& target, const TuneContext& context) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  const Preprocessing& p = target.preprocessing;
  for (const TuneRun& run : runs) {
    if (run.file.empty()) continue;
    entries.push_back(
        {{"name", run.file.stem().string()},
         {"file", run.file.filename().string()},
         {"input_size", context.input_size > 0 ? context.input_size : p.input_size},
         {"interpolation", interpolation_name(p.interpolation)},
         {"crop_pct", p.crop_pct > 0.0 ? nlohmann::ordered_json(p.crop_pct) : nullptr},
         {"input_scale", p.input_scale},
         {"mean", p.mean},
         {"std", p.std},
         {"channel_order", p.bgr ? "BGR" : "RGB"},
         {"classes", context.data->targets.outputs},
         {"notes", fmt::format("{} tuned on {}: {}", target.name, context.data->name,
                               method_name(run.method))}});
  }
  write_file_atomically(folder / "hub.json", {entries.dump(1) + "\n"});
}

}  // namespace assay
