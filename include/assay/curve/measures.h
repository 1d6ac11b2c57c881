#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/types.h"
#include "assay/curve/loss_curve.h"

namespace assay {

// Which loss stands for the rows (n_{k-1}, n_k] of a curve measured at n_1 < n_2 < ...
enum class Rule {
  left,    // the probe of n_{k-1} rows codes them, the first ones at chance: the paper, Appendix C
  right,   // the probe of n_k rows, which has seen them: what public code does
  linear,  // the straight line between the two; the first interval has the first loss
};
Rule rule_named(std::string_view name);  // throws Error
std::string_view rule_name(Rule rule);

enum class LossKind { nll, zero_one, mse };
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

// A measure at a tolerance.
struct ToleranceMeasure {
  double epsilon = 0.0;
  double value = 0.0;
  bool lower_bound = false;  // the data do not suffice: the truth is at least `value`
  // Over seeds, each with its own curve; nothing for fewer than two seeds that have every size,
  // nor for a sample complexity that some seed does not reach.
  std::optional<double> sd = std::nullopt;
};

// What the curve says when it ends at n rows. In the paper's equations, with L the mean loss:
struct Measures {
  Index n = 0;
  double va = 0.0;  // Eq. 2: L(n)
  std::optional<double> va_sd = std::nullopt;
  std::optional<double> mi = std::nullopt;  // Eq. 4: H(Y) - L(n), a lower bound in nats
  double mdl = 0.0;                         // Eq. 7: the integral of L from 0 to n
  std::optional<double> mdl_sd = std::nullopt;
  std::vector<ToleranceMeasure> sdl = {};  // Eq. 11: the integral of [L - epsilon]_+
  std::vector<ToleranceMeasure> esc = {};  // Eq. 12: the smallest measured n with L <= epsilon
};

struct MeasuredCurve {
  std::string name;
  std::vector<CurvePoint> points;
  std::vector<Measures> at;  // one per point: as if the data ended there
  bool monotone = true;      // false: the mean loss rises somewhere
};

// SDL is a lower bound when the last loss exceeds epsilon; the sample complexity when epsilon is
// never reached (its value is then the largest n). A rise of the loss is reported, not repaired.
// The curve must have a run.
MeasuredCurve measure_curve(const LossCurve& curve, const MeasureOptions& options);

// Curves measured alike, for reports.
struct MeasuredCurves {
  LossKind loss = LossKind::nll;
  Rule rule = Rule::left;
  std::optional<double> chance = std::nullopt;
  std::optional<double> label_entropy = std::nullopt;
  std::vector<double> epsilons = {};
  std::vector<MeasuredCurve> models = {};
};

// The integral of [L - epsilon]_+ from 0 to the last point. Exact for each rule: a straight line is
// cut where it crosses epsilon.
double surplus_area(std::span<const CurvePoint> points, double epsilon, Rule rule, double chance);

// The first point with a loss of at most epsilon; nothing when there is none.
std::optional<Index> first_reached(std::span<const CurvePoint> points, double epsilon);

}  // namespace assay
