#include <gtest/gtest.h>

#include "golden_json.h"
#include "io/npy.h"
#include "relu_trainer.h"
#include "tune/tuner.h"

namespace assay {
namespace {

using test::golden;
using test::golden_json;

Matrix load(const std::string& name) {
  const Array array = open_npy(golden("btuning/" + name + ".npy"));
  Matrix out(array.shape[0], array.shape[1]);
  for (Index i = 0; i < array.size(); ++i)
    out(i / array.shape[1], i % array.shape[1]) = number_at(array, i);
  return out;
}

// A toy run of the authors' loop: a student relu(W1 x + b1) with a head Wc, both biases starting at
// 0, two teachers without, 30 steps; losses and final weights were computed by PyTorch.
TEST(BTuning, RepeatsTheAuthorsLoop) {
  const nlohmann::json expected = golden_json("btuning/btuning.json");
  const Matrix x = load("X");
  const auto teacher = [&](const std::string& name) {
    const Matrix features = (x * load("T" + name).transpose()).cwiseMax(0.0);
    return Matrix(features * load("m_" + name).transpose());
  };
  const double pi_a = expected.at("pi").at("A");
  const Matrix predictions = pi_a * teacher("A") + (1.0 - pi_a) * teacher("B");
  const auto penalty =
      bayesian_penalty(load("m_S").transpose(), {predictions.transpose().cast<float>(), 1});
  TaskTargets targets{TargetKind::classes, 3, {}, {}};
  const Array y = open_npy(golden("btuning/y.npy"));
  for (Index i = 0; i < y.size(); ++i)
    targets.labels.push_back(static_cast<Label>(integer_at(y, i)));

  test::ReluTrainer trainer(load("W1").cast<float>());
  const TunerSetting setting{.sgd = {0.9, true, expected.at("wd")},
                             .head_factor = expected.at("head_lr_mult"),
                             .penalty = penalty.get(),
                             .lambda = expected.at("tradeoff")};
  Tuner tuner(trainer, 6, targets, setting);
  TunerState state = tuner.state();
  const Eigen::MatrixXf head = load("Wc").transpose().cast<float>();
  std::copy(head.data(), head.data() + head.size(), state.learnt.end() - head.size() - 3);
  tuner.set_state(state);

  const Eigen::MatrixXf images = x.transpose().cast<float>();
  for (Index step = 0; step < 30; ++step) {
    const Index first = 10 * (step % 3);  // the last of four batches is skipped
    std::vector<BatchRow> batch;
    for (Index i = 0; i < 10; ++i) batch.push_back({first + i, 0});
    const StepLoss loss =
        tuner.step({images.data() + 10 * first, 10, 10, 1, 1}, batch, expected.at("lr"));
    const auto at = static_cast<std::size_t>(step);
    const double task = expected.at("classifier_loss").at(at);
    const double bayes = expected.at("tradeoff_times_b_loss").at(at);
    EXPECT_NEAR(loss.task, task, 1e-5) << step;
    EXPECT_NEAR(100.0 * loss.penalty, bayes, 1e-5 * bayes) << step;
    EXPECT_NEAR(loss.total, task + bayes, 1e-4) << step;
  }
  const TunedWeights weights = tuner.weights();
  const Eigen::Map<const Eigen::MatrixXf> w1(weights.parameters.data(), 6, 10);
  const Eigen::Map<const Eigen::MatrixXf> wc(weights.head_weight.data(), 6, 3);
  EXPECT_LT((w1.cast<double>() - load("final_W1")).cwiseAbs().maxCoeff(), 2e-6);
  EXPECT_LT((wc.cast<double>().transpose() - load("final_Wc")).cwiseAbs().maxCoeff(), 2e-6);
}

}  // namespace
}  // namespace assay
