#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "tune/penalty.h"

namespace assay {

// One teacher's predictions for the images to learn from, in every view: C numbers each in half
// precision. They are all that stays of its features.
struct TeacherPredictions {
  Index outputs = 0;  // C
  Index views = 1;
  std::shared_ptr<const std::vector<Index>> places;  // of an image among the rows, by its number
  std::vector<std::uint16_t> halves;                 // C x (rows * views)

  void add_to(Matrix& sum, double weight, std::span<const BatchRow> batch) const;
};

// Bytes of one of these.
Index prediction_bytes(Index rows, Index views, Index outputs);

// Where each of `rows` stands among them, by the number of the image; -1: it is not there.
std::shared_ptr<const std::vector<Index>> places_of(const std::vector<Index>& rows, Index images);

// C numbers for every column of `samples`: all views of some of the rows to learn from, which
// follow one another from number `first_row` on.
using PredictViews = std::function<Matrix(const Matrix& samples, Index first_row)>;

// Passes once over the features of all images and views (row image * views + view), block by
// block: they are never held whole.
TeacherPredictions predict_views(ThreadPool& pool, const RowSource& features,
                                 const std::vector<Index>& rows, Index views, Index outputs,
                                 const PredictViews& predict);

// Mixed by weights: sum_k weight_k prediction_k.
struct WeightedPredictions {
  std::shared_ptr<const TeacherPredictions> predictions;
  double weight = 1.0;
};
TeacherTable mixed_table(std::vector<WeightedPredictions> teachers);

// Features read from where they lie whenever a batch asks for them. `rows`: what `mean_square` is
// taken over.
TeacherTable feature_table(Rows features, const std::vector<Index>& rows, Index views);

// |f|^2, mean over some rows.
double mean_square_of(const RowSource& rows);

}  // namespace assay
