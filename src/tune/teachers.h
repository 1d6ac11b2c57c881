#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/tune.h"
#include "hub/networks.h"
#include "images/training_images.h"
#include "metrics/problem.h"
#include "tune/penalty.h"
#include "tune/teacher_predictions.h"
#include "tune/teacher_sets.h"

namespace assay {

// True when a method, or the file of targets, makes use of teachers.
bool needs_teachers(const TuneRequest& request);

// LogME and posterior mean of every network on the rows to learn from; what those that teach have
// to say of each of these images and views, computed when it is first asked for, through the
// feature cache. Made by rank_teachers().
class Teachers {
 public:
  // Every network that can be used, best first.
  const std::vector<RankedNetwork>& ranking() const { return ranking_; }
  const std::vector<FailedModel>& failed() const { return failed_; }
  const std::vector<FileDigest>& inputs() const { return inputs_; }
  const std::vector<std::string>& notes() const { return notes_; }
  double seconds() const { return seconds_; }

  const NetworkSource& source(const std::string& name) const;
  const Matrix& posterior_mean(const std::string& name) const;  // m, D x C
  const Vector& intercept(const std::string& name) const;       // C

  // Softmax of LogME / temperature over the set.
  WeightedSet weighted(const TeacherSet& set) const;

  // sum_k pi_k f_k' m_k: C numbers for every image to learn from and view.
  TeacherTable mixed_predictions(const WeightedSet& set);

  // What a method adds to the loss of `target` taught by the set; null for those that add nothing.
  std::unique_ptr<Penalty> penalty(TuneMethod method, const std::string& target,
                                   const WeightedSet& set);

  std::string digests(const WeightedSet& set) const;  // of their weights, for cache keys

 private:
  friend Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request,
                                const TrainingImages& data, const ImageInput& input,
                                const std::vector<std::string>& only,
                                const ProgressCallback& progress);
  Teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
           const ImageInput& input, const std::vector<std::string>& only,
           const ProgressCallback& progress);

  struct Fitted {
    const NetworkSource* source = nullptr;
    std::string digest;
    Matrix m;
    Vector intercept;
    double logme = 0.0;
  };
  void rank(const ProgressCallback& progress);
  Fitted fit(const NetworkSource& source, const ProgressCallback& progress);
  ExtractedModel extract(const NetworkSource& source, Index views,
                         const ProgressCallback& progress);
  Rows whole_images(const std::string& name);  // features of the rows to learn from
  Rows all_views(const std::string& name);     // of every image in every view
  Problem problem_of(const RowSource& rows);
  PredictViews predictor(const std::string& name);
  std::shared_ptr<const TeacherPredictions> predictions(const std::string& name);

  ThreadPool& pool_;
  const TuneRequest& request_;
  const TrainingImages& data_;
  ProgressCallback progress_;
  NetworkSources hub_;
  ImageInput input_;
  Targets targets_;  // of the rows to learn from
  std::map<std::string, Fitted> fitted_;
  std::map<std::string, std::shared_ptr<const TeacherPredictions>> predictions_;
  std::vector<RankedNetwork> ranking_;
  std::vector<FailedModel> failed_;
  std::vector<FileDigest> inputs_;
  std::vector<std::string> notes_;
  double seconds_ = 0.0;
};

// Runs the hub's networks (`only` these, if any are named) on the training images, which takes
// minutes where the cache does not hold their features, and fits LogME to each. Throws Error when
// none can be run.
Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                       const ImageInput& input, const std::vector<std::string>& only,
                       const ProgressCallback& progress);

}  // namespace assay
