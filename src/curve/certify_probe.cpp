#include "curve/certify_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/text.h"
#include "curve/certify.h"

namespace assay {
namespace {

// Rounds that Algorithm 2 takes to single rows, ten parts each.
int levels_for(Index rows) {
  int levels = 1;
  for (Index width = rows - 1; width > 10; width = (width + 9) / 10) ++levels;
  return levels;
}

double loss_of(const Matrix& outputs, const ProbeData& data, Index row, LossKind kind) {
  if (kind == LossKind::mse) {
    return (outputs.transpose() - data.train_values.row(row)).squaredNorm() /
           static_cast<double>(outputs.size());
  }
  const std::span<const Label> label(&data.train_labels[static_cast<std::size_t>(row)], 1);
  if (kind == LossKind::zero_one) return 1.0 - accuracy_of(outputs, label);
  return label_losses(outputs, label)[0];
}

// Mean truncated loss for n = 1 ... M, entry n - 1.
Vector mean_losses(ThreadPool& pool, const ProbeData& data, const ProbeSettings& settings,
                   LossKind kind, Index most_rows, Index blocks, std::span<const Index> rows,
                   std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(rows.begin(), rows.end());
  random.shuffle(order);
  Matrix losses(most_rows, blocks);
  pool.run(blocks, [&](Index k) {
    const std::span<const Index> block = std::span(order).subspan(
        static_cast<std::size_t>(k * (most_rows + 1)), static_cast<std::size_t>(most_rows + 1));
    const Matrix test = data.train.col(block.back());
    for (Index n = 1; n <= most_rows; ++n) {
      const TrainedProbe probe = train_probe(pool, data, block.first(static_cast<std::size_t>(n)),
                                             settings, seed + static_cast<std::uint64_t>(k) + 1);
      losses(n - 1, k) = std::min(1.0, loss_of(probe.outputs(test), data, block.back(), kind));
    }
  });
  return losses.rowwise().mean();
}

std::string refusal(const CurveCertificate& certificate, bool reaches) {
  const std::string needed = with_thousands(certificate.rows_needed());
  if (!reaches) {
    return fmt::format(
        "the loss never falls to epsilon / 2 = {:.4g} with {} rows, so more than {} "
        "independent rows are needed and there are {}; name `certify_rows` to do "
        "with fewer per draw",
        0.5 * certificate.epsilon, with_thousands(certificate.most_rows), needed,
        with_thousands(certificate.rows_available));
  }
  return fmt::format(
      "{} independent rows are needed ({} draws of {} + 1), there are {}; label more, or name a "
      "larger epsilon or fewer `certify_rows`",
      needed, with_thousands(certificate.blocks), with_thousands(certificate.most_rows),
      with_thousands(certificate.rows_available));
}

}  // namespace

CurveCertificate certify_curve(ThreadPool& pool, const ProbeData& data,
                               const ProbeSettings& settings, LossKind loss,
                               const std::vector<CurvePoint>& measured, double epsilon,
                               double delta, Index most_rows, std::span<const Index> rows,
                               std::uint64_t seed) {
  const std::optional<Index> reached = first_reached(measured, 0.5 * epsilon);
  CurveCertificate out{.epsilon = epsilon, .delta = delta};
  out.most_rows = most_rows > 0 ? most_rows : reached.value_or(measured.back().n);
  const int levels = levels_for(out.most_rows);
  out.blocks = std::max(surplus_blocks(epsilon, delta), complexity_blocks(epsilon, delta, levels));
  out.rows_available = std::ssize(rows);
  const bool reaches = most_rows > 0 || reached.has_value();
  if (epsilon >= 1.0) {
    out.refused = "losses are cut off at 1, so every learner is within a tolerance of 1 or more";
    return out;
  }
  if (!reaches || out.rows_needed() > out.rows_available) {
    out.refused = refusal(out, reaches);
    return out;
  }
  const Vector losses =
      mean_losses(pool, data, settings, loss, out.most_rows, out.blocks, rows, seed);
  const MeanLoss mean = [&](Index n) { return losses[n - 1]; };
  out.surplus = certify_surplus(mean, epsilon, out.most_rows);
  out.radius = surplus_radius(out.most_rows, out.blocks, delta);
  out.complexity = certify_complexity(mean, epsilon, out.most_rows, levels);
  return out;
}

}  // namespace assay
