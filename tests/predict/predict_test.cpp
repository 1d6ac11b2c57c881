#include "assay/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/npy.h"
#include "metrics/logme_regression.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

class Predict : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const Matrix& rows) const {
    const Eigen::MatrixXf columns = rows.transpose().cast<float>();
    write_npy(folder_ / name, {columns.data(), static_cast<std::size_t>(columns.size())},
              rows.cols());
    return folder_ / name;
  }
  std::filesystem::path labels(const std::string& name, const std::string& text) const {
    test::write_text(folder_ / name, text);
    return folder_ / name;
  }
  PredictRequest request(const std::filesystem::path& features, const std::filesystem::path& fit,
                         const std::filesystem::path& targets) const {
    PredictRequest out;
    out.features = features;
    out.fit_features = fit;
    out.labels = targets;
    out.memory_limit = Index{1} << 30;
    return out;
  }

  test::TemporaryDirectory folder_;
};

// Two classes on two axes: new samples on an axis belong to its class.
TEST_F(Predict, NamesTheClassWithTheLargestMean) {
  const Matrix known{{1.0, 0.1}, {0.9, 0.0}, {1.1, 0.0}, {0.0, 1.0}, {0.1, 0.9}, {0.0, 1.1}};
  const Matrix fresh{{0.0, 2.0}, {3.0, 0.0}};
  const PredictResult result =
      predict_features(test::pool(), request(write("new.npy", fresh), write("known.npy", known),
                                             labels("y.txt", "cat\ncat\ncat\ndog\ndog\ndog\n")));
  ASSERT_EQ(result.best.size(), 2U);
  EXPECT_EQ(result.columns[static_cast<std::size_t>(result.best[0])], "dog");
  EXPECT_EQ(result.columns[static_cast<std::size_t>(result.best[1])], "cat");
  EXPECT_GT(result.prediction.variance.minCoeff(), 0.0);
}

TEST_F(Predict, MeansAreThoseOfTheWholePrediction) {
  const test::Sample s = test::blobs(3, 100, 5, 1.0);
  const Rows rows = rows_of_matrix(s.features, "features");
  const FittedFeatures fitted = fit_features(test::pool(), *rows, s.targets, Index{1} << 30);
  const Matrix means = predicted_means(test::pool(), fitted, *rows);
  EXPECT_LT((means - predict_rows(test::pool(), fitted, *rows).prediction.mean).norm(), 1e-12);
}

TEST_F(Predict, FindsTheAnchorThatPointsAlongAClass) {
  const Matrix known{{1.0, 0.1}, {0.9, 0.0}, {1.1, 0.0}, {0.0, 1.0}, {0.1, 0.9}, {0.0, 1.1}};
  const Matrix words{{0.0, 5.0}, {-1.0, -1.0}, {7.0, 0.0}, {0.0, 0.0}};
  PredictRequest wanted = request(write("new.npy", known), write("known.npy", known),
                                  labels("y.txt", "0\n0\n0\n1\n1\n1\n"));
  wanted.anchors = write("words.npy", words);
  wanted.nearest = 1;
  const PredictResult result = predict_features(test::pool(), wanted);
  ASSERT_EQ(result.anchors.size(), 2U);
  EXPECT_EQ(result.anchors[0][0].row, 2);
  EXPECT_EQ(result.anchors[1][0].row, 0);
}

TEST_F(Predict, RefusesWhatDoesNotFitTogether) {
  const auto two = write("two.npy", Matrix{{1.0, 2.0}, {2.0, 1.0}, {0.0, 3.0}});
  const auto three = write("three.npy", Matrix{{1.0, 2.0, 3.0}});
  const auto y = labels("y.txt", "0\n1\n0\n");
  const auto error_of = [](const PredictRequest& wanted) {
    return test::error_of([&] { predict_features(test::pool(), wanted); });
  };
  EXPECT_THAT(error_of(request(three, two, y)), HasSubstr("both must come from the same model"));
  PredictRequest wanted = request(two, two, y);
  wanted.anchors = three;
  EXPECT_THAT(error_of(wanted), HasSubstr("anchors are embeddings in the space of the features"));
  EXPECT_THAT(error_of(request(two, two, labels("one.txt", "1\n1\n1\n"))), HasSubstr("constant"));
  wanted = request(two, two, y);
  wanted.memory_limit = 100;
  EXPECT_THAT(error_of(wanted), HasSubstr("raise `memory_limit`"));
}

}  // namespace
}  // namespace assay
