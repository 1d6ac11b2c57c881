#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "curve/measures.h"
#include "report/screen.h"

namespace assay {

// One line: how many curves, sizes and seeds, and how to read the table.
std::string curve_heading(const MeasuredCurves& curves);

// One row per model at its largest n, best first by SDL (by loss without a tolerance).
std::string curve_table(const MeasuredCurves& curves, const Screen& screen = {});

// The paper's layout: a block per size, a row per measure, a column per model. Of each model the
// smallest measured size that is at least the one asked for, else its largest.
std::string curve_blocks(const MeasuredCurves& curves, std::span<const Index> sizes,
                         const Screen& screen = {});
std::string curve_latex(const MeasuredCurves& curves, std::span<const Index> sizes);

// Every measure at every size: one row per model and n.
std::string curve_csv(const MeasuredCurves& curves);

// The probes themselves, as `curve measure` reads them.
std::string runs_csv(std::span<const LossCurve> curves);

// `loss`, `rule`, `chance`, `label_entropy`, `epsilon`, `models`; the measures of the largest n
// stand on the model itself, those of every n in its `measures`.
nlohmann::ordered_json curve_json(const MeasuredCurves& curves);

}  // namespace assay
