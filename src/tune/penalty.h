#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/types.h"
#include "core/random.h"
#include "images/batches.h"

namespace assay {

struct PenaltyGradient {
  double loss = 0.0;
  Matrix features;         // dL/dfeatures, D x batch
  std::vector<float> own;  // dL/d its own parameters
};

// What a method adds to the task loss: a function of the target's features of a batch, and perhaps
// of parameters of its own that are learnt along. Teachers enter by numbers that were computed
// before, so none of them runs, let alone learns. Safe to use from several threads.
class Penalty {
 public:
  virtual ~Penalty() = default;

  // Where its own parameters start for features of `dim` dimensions; most have none.
  virtual std::vector<float> initial(Index /*dim*/, Random& /*random*/) const { return {}; }

  // `features`: D x batch, column i for batch[i].
  virtual PenaltyGradient at(const Matrix& features, std::span<const BatchRow> batch,
                             std::span<const float> own) const = 0;
};

// What a teacher says of every training image and view: some numbers each, wherever they are kept.
struct TeacherTable {
  // The numbers of sample `row` in view `view`: a column of the result for each of the batch. Safe
  // to call from several threads.
  using Read = std::function<Matrix(std::span<const BatchRow> batch)>;

  TeacherTable(Index numbers, double square, Read source)
      : dim(numbers), mean_square(square), read(std::move(source)) {}

  // Held in memory: column row * views + view.
  TeacherTable(Eigen::MatrixXf values, Index views);

  Index dim = 0;
  double mean_square = 0.0;  // of a sample's numbers, sum over them, mean over samples
  Read read;
};

// L_Bayesian of the LogME paper (Eq. 5): with the teachers' mixed predictions y and the target's
// own posterior means m (D x C, from its initial features),
//
//     1/n sum_i 1/C sum_c (y_ic - f_i' m_c - b_c)^2
//
// with the intercept b of a posterior of centred data; empty: none, as in the paper.
std::unique_ptr<Penalty> bayesian_penalty(Matrix m, TeacherTable predictions,
                                          Vector intercept = {});

// Distillation of features (the paper's L_KD) with learnt W_k:
//
//     1/n sum_i 1/K sum_k |phi_k(x_i) - W_k f_i|^2 / s_k
//
// s_k, the mean square of a teacher's features, makes teachers and strengths comparable; the paper
// has no such factor. What is learnt is V_k = W_k sqrt(s / s_k) with the mean square s of the
// target's features at the start: W_k itself diverges where features are large.
std::unique_ptr<Penalty> distillation_penalty(std::vector<TeacherTable> teachers,
                                              double target_square);

struct WeightedTeacher {
  TeacherTable features;
  double weight = 1.0;
};

// The objective of the Task Priors paper on the samples of a batch: with the centred cosine kernel
// M of the target's features and a task prior whose edges have the probabilities
// s_ij = sigmoid(K_ij / T), K the weighted sum of the teachers' centred cosine kernels,
//
//     -E/n^2 + sqrt(Var)/n^2,   E = sum_ij M_ij s_ij,   Var = sum_ij M_ij^2 s_ij (1 - s_ij)
//
// (Theorem 3.6): raise the mean of Tr(MG) over tasks, lower its spread.
std::unique_ptr<Penalty> prior_penalty(std::vector<WeightedTeacher> teachers, double temperature);

// Median absolute off-diagonal entry of the prior's kernel on these samples, in view 0.
double prior_temperature(const std::vector<WeightedTeacher>& teachers,
                         const std::vector<Index>& rows);

}  // namespace assay
