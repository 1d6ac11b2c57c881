#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "curve/loss_curve.h"
#include "curve/measures.h"

namespace assay {

// Curves from a CSV with a header: `samples` and `val_loss`, and if there, `name` (else the file's
// stem), `seed` (else 0) and `val_accuracy`; other columns are ignored. One row per probe, curves
// in the order in which their names appear. Throws Error naming the row for what is no number, a
// size below 1, a loss that cannot be (negative, or above 1 for zero-one loss), a probe given
// twice.
std::vector<LossCurve> read_curves(const std::filesystem::path& path, LossKind kind);
std::vector<LossCurve> parse_curves(std::string_view text, const std::string& where, LossKind kind);

}  // namespace assay
