#pragma once

#include <string>
#include <vector>

#include "assay/prior.h"
#include "parts/archive.h"

namespace assay {

// What a scored model is made of, for parts of the work (parts/archive.h).

template <class Archive>
void fields(Archive& archive, TaskMoments& moments) {
  auto& [expectation, variance, expectation_error, variance_error] = moments;
  archive(expectation, variance, expectation_error, variance_error);
}

template <class Archive>
void fields(Archive& archive, ProbeR2& share) {
  auto& [value, sd, task_mean, penalty, clipped] = share;
  archive(value, sd, task_mean, penalty, clipped);
}

template <class Archive>
void fields(Archive& archive, LabelFree& numbers) {
  auto& [rankme, alpha_req, lidar] = numbers;
  archive(rankme, alpha_req, lidar);
}

template <class Archive>
void fields(Archive& archive, PriorScore& score) {
  auto& [prior, name, temperature, moments, n, dim, probe_r2, own, label_free] = score;
  archive(prior, name, temperature, moments, n, dim, probe_r2, own, label_free);
}

template <class Archive>
void fields(Archive& archive, LabelAlignment& alignment) {
  auto& [name, trace, probe_mse] = alignment;
  archive(name, trace, probe_mse);
}

template <class Archive>
void fields(Archive& archive, ProbedModel& model) {
  auto& [name, dim, penalty, accuracy, test_noise, closed_form] = model;
  archive(name, dim, penalty, accuracy, test_noise, closed_form);
}

}  // namespace assay
