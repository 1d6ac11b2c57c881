#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/tune.h"
#include "hub/networks.h"
#include "images/training_images.h"
#include "tune/penalty.h"
#include "tune/teacher_sets.h"

namespace assay {

// True when a method, or the file of targets, makes use of teachers.
bool needs_teachers(const TuneRequest& request);

// LogME and posterior mean of every network on the training rows; features and predictions of those
// that teach for every training image and view, computed when they are first asked for, through the
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

  // Softmax of LogME / temperature over the set.
  WeightedSet weighted(const TeacherSet& set) const;

  // sum_k pi_k f_k' m_k: C numbers for every training image and view.
  TeacherTable mixed_predictions(const WeightedSet& set);

  // What a method adds to the loss of `target` taught by the set; null for those that add nothing.
  std::unique_ptr<Penalty> penalty(TuneMethod method, const std::string& target,
                                   const WeightedSet& set);

  std::string digests(const WeightedSet& set) const;  // of their weights, for cache keys

 private:
  friend Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request,
                                const TrainingImages& data, const ProgressCallback& progress);
  Teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
           const ProgressCallback& progress);

  struct Fitted {
    const NetworkSource* source = nullptr;
    std::string digest;
    Matrix m;
    double logme = 0.0;
  };
  void rank(const ProgressCallback& progress);
  Fitted fit(const NetworkSource& source, const ProgressCallback& progress);
  ExtractedModel extract(const NetworkSource& source, Index views,
                         const ProgressCallback& progress);
  double mean_square(const std::string& name);  // of its features on the rows to learn from
  const Eigen::MatrixXf& features(const std::string& name);     // D x (images * views)
  const Eigen::MatrixXf& predictions(const std::string& name);  // C x (images * views)

  ThreadPool& pool_;
  const TuneRequest& request_;
  const TrainingImages& data_;
  const ProgressCallback& progress_;
  NetworkSources hub_;
  ImageInput input_;
  std::map<std::string, Fitted> fitted_;
  std::map<std::string, Eigen::MatrixXf> features_;
  std::map<std::string, Eigen::MatrixXf> predictions_;
  std::vector<RankedNetwork> ranking_;
  std::vector<FailedModel> failed_;
  std::vector<FileDigest> inputs_;
  std::vector<std::string> notes_;
  double seconds_ = 0.0;
};

// Runs the hub's networks on the training images, which takes minutes where the cache does not hold
// their features, and fits LogME to each. Throws Error when none can be run.
Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                       const ProgressCallback& progress);

}  // namespace assay
