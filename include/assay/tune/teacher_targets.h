#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/types.h"
#include "assay/data/rows.h"
#include "assay/data/targets.h"
#include "assay/hub/catalogue.h"

namespace assay {

// What B-Tuning (LogME paper, section 5) needs of its teachers: C numbers per sample, and the fixed
// m of the network to tune. Any trainer can add lambda / C * |targets - f_t' m|^2 to its loss.
struct TeacherTargets {
  std::vector<std::string> columns;  // class ids or target names
  Matrix targets;                    // n x C: sum_k pi_k f_k' m_k
  Matrix m;                          // D x C: of the network to tune, from its initial features
  std::vector<double> logme;         // of every teacher, nats per sample
  std::vector<double> weights;       // pi, of every teacher
};

// pi = softmax(LogME / temperature). Throws Error when the temperature is not positive.
std::vector<double> teacher_weights(std::span<const double> logme, double temperature);

// `initial` are the features of the network to tune, before tuning. Throws Error when rows and
// targets do not match, as fit_features does, and when there is no teacher.
TeacherTargets teacher_targets(ThreadPool& pool, std::span<const ModelFiles> teachers,
                               const RowSource& initial, const Targets& targets, double temperature,
                               Index memory_limit);

}  // namespace assay
