#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "assay/curve.h"
#include "curve/measures.h"
#include "report/screen.h"

namespace assay {

// Of measured curves, wherever they come from.

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

// Of a run over a hub.

// "resnet needs about 2,900 labels [2,600-3,300] to reach a loss of 0.2; the runner-up, mobilenet,
// needs 6,900.", one sentence per target; empty without targets.
std::string curve_answer(const CurveResult& result);

// What --certify found, one line per model and tolerance.
std::string certificate_text(const CurveResult& result);

// curve_json with the probe, the rows, what --refine, --certify and the targets found, and
// `failed`.
nlohmann::ordered_json curve_hub_json(const CurveResult& result);

// What the user should know, one line each.
std::vector<std::string> curve_notes(const CurveResult& result);

}  // namespace assay
