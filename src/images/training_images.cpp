#include "images/training_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "assay/digest.h"
#include "assay/error.h"
#include "core/random.h"
#include "core/split.h"
#include "data/check_targets.h"
#include "data/subset.h"
#include "images/images_digest.h"
#include "images/prepare.h"

namespace assay {
namespace {

// By class where there are classes.
Split split_training_rows(const Targets& targets, double share, std::uint64_t seed) {
  const std::vector<Label> one_group(static_cast<std::size_t>(targets.rows()), 0);
  return stratified_split(targets.kind == TargetKind::classes ? targets.labels : one_group, share,
                          seed);
}

Matrix standardised(const Matrix& values, const Vector& mean, double scale) {
  return ((values.rowwise() - mean.transpose()) / scale).transpose();
}

void standardise_targets(const Targets& targets, TrainingImages& data) {
  Matrix known(static_cast<Index>(data.rows.size()), targets.columns());
  for (Index i = 0; i < known.rows(); ++i)
    known.row(i) = targets.values.row(data.rows[static_cast<std::size_t>(i)]);
  data.mean = known.colwise().mean().transpose();
  const double square =
      (known.rowwise() - data.mean.transpose()).squaredNorm() / static_cast<double>(known.size());
  if (!(square > 0.0))
    fail_input(fmt::format("{}: the targets do not vary; there is nothing to learn", data.name));
  data.scale = std::sqrt(square);
}

TaskTargets task_of(const Targets& targets, const TrainingImages& data) {
  TaskTargets out{targets.kind, targets.columns(), targets.labels, {}};
  if (targets.kind == TargetKind::regression)
    out.values = standardised(targets.values, data.mean, data.scale);
  if (targets.kind == TargetKind::multi_label) out.values = targets.values.transpose();
  return out;
}

}  // namespace

Targets TrainingImages::fit_targets() const {
  Targets out = targets_of_rows(train.targets, rows);
  if (out.kind == TargetKind::regression)
    out.values = standardised(out.values, mean, scale).transpose().eval();
  return out;
}

TrainingImages open_training_images(const ImageRequest& request, double validation_share,
                                    std::uint64_t seed) {
  const SplitChoice choice = parse_split(request.split);
  if (choice.test) fail_input("a network is trained on the training part; name `split` 0.8, say");
  ImageData images = open_image_data(request.data);
  if (choice.share) images = split_image_data(std::move(images), *choice.share, seed);
  TrainingImages out;
  out.name = images.name;
  out.train = std::move(images.train);
  out.test = std::move(images.test);
  const Targets& targets = out.train.targets;
  if (targets.kind != TargetKind::multi_label) require_single_target(targets, "tuning");
  const double share = out.test ? 0.0 : validation_share;
  Split split = split_training_rows(targets, share, seed);
  out.rows = std::move(split.train);
  out.validation = std::move(split.held_out);
  if (out.rows.size() < 2 || (share > 0.0 && out.validation.empty()))
    fail_input(fmt::format("{}: too few images to learn from and validate on", out.name));
  out.mean = Vector::Zero(targets.columns());
  if (targets.kind == TargetKind::regression) standardise_targets(targets, out);
  out.targets = task_of(targets, out);
  if (!out.test) return out;
  out.test_targets = task_of(recoded(out.test->targets, targets), out);
  return out;
}

TrainingImages with_held_back(const TrainingImages& data, double share, std::uint64_t seed) {
  TrainingImages out = data;
  const Targets targets = targets_of_rows(data.train.targets, data.rows);
  const Split split = split_training_rows(targets, share, seed);
  const auto chosen = [&](const std::vector<Index>& places) {
    std::vector<Index> rows;
    for (const Index place : places) rows.push_back(data.rows[static_cast<std::size_t>(place)]);
    return rows;
  };
  out.rows = chosen(split.train);
  out.validation = chosen(split.held_out);
  out.test.reset();
  out.test_targets.reset();
  if (out.rows.size() < 2 || out.validation.empty())
    fail_input(fmt::format(
        "{}: too few images to hold some back for a search; name `lr` and `lambda`", out.name));
  return out;
}

std::string training_digest(ThreadPool& pool, const TrainingImages& data) {
  Digest digest;
  const std::string images = images_digest(pool, *data.train.images);
  digest.update(std::as_bytes(std::span(images)));
  digest.update(std::as_bytes(std::span(data.targets.labels)));
  const Matrix& values = data.targets.values;
  digest.update(std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))));
  digest.update(std::as_bytes(std::span(data.rows)));
  digest.update(std::as_bytes(std::span(data.validation)));
  return digest.hex();
}

PrepareBatch batches_of(Images images, const Preprocessing& preprocessing,
                        const ViewOptions& views) {
  return [images = std::move(images), preprocessing, views](std::span<const BatchRow> rows) {
    const Index size = preprocessing.input_size;
    const Index length = 3 * size * size;
    const auto count = static_cast<Index>(rows.size());
    PreparedBatch batch{std::vector<float>(static_cast<std::size_t>(count * length)), count, 3,
                        size, size};
    float* out = batch.pixels.data();
    for (const BatchRow& row : rows) {
      const Image image = images->read(row.row);
      const ViewBox box =
          view_box(image.height, image.width, views.seed, row.row, row.view, views.least_area);
      prepare_image(image, box, preprocessing, {out, static_cast<std::size_t>(length)});
      out += length;
    }
    return batch;
  };
}

}  // namespace assay
