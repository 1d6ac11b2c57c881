#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/curve.h"
#include "assay/types.h"
#include "curve/loss_curve.h"

namespace assay {

Rule rule_named(std::string_view name);  // throws Error
std::string_view rule_name(Rule rule);

LossKind loss_named(std::string_view name);  // throws Error
std::string_view loss_name(LossKind kind);   // "nll", "zero-one", "mse"

// What guessing costs: ln C, or 1 - 1/C for zero-one loss.
double chance_level(LossKind kind, Index classes);

struct MeasureOptions {
  Rule rule = Rule::left;
  double chance = 0.0;  // the loss before any row was seen; read by Rule::left alone
  std::vector<double> epsilons = {};
  std::optional<double> label_entropy = std::nullopt;  // H(Y) in nats, for mi
};

// SDL is a lower bound when the last loss exceeds epsilon; the sample complexity when epsilon is
// never reached (its value is then the largest n). A rise of the loss is reported, not repaired.
// The curve must have a run.
MeasuredCurve measure_curve(const LossCurve& curve, const MeasureOptions& options);

// The integral of [L - epsilon]_+ from 0 to the last point. Exact for each rule: a straight line is
// cut where it crosses epsilon.
double surplus_area(std::span<const CurvePoint> points, double epsilon, Rule rule, double chance);

// The first point with a loss of at most epsilon; nothing when there is none.
std::optional<Index> first_reached(std::span<const CurvePoint> points, double epsilon);

}  // namespace assay
