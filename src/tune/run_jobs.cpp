#include "tune/run_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/version.h"
#include "core/clock.h"
#include "core/random.h"
#include "images/prepare.h"
#include "learn/rate_schedule.h"
#include "tune/train.h"
#include "tune/tuner.h"
#include "tune/write_tuned.h"

namespace assay {
namespace {

constexpr int kTrainingForm = 2;  // raise it when the same settings give other weights

std::string short_digest(const std::string& text) {
  Digest digest;
  digest.update(std::as_bytes(std::span(text)));
  const std::string hex = digest.hex();
  return hex.substr(hex.find(':') + 1);
}

std::string cache_key_of(const TuneJob& job, const TuneContext& context) {
  const TuneSettings& s = *context.settings;
  const Preprocessing p = with_input_size(job.network->preprocessing, context.input_size);
  std::string zoo;
  for (const NetworkSource* other : job.zoo) zoo += " " + file_digest(other->file);
  // Said only where it is not as ever: earlier runs are found again.
  const std::string resizing =
      p.crop_pct > 0.0 || p.interpolation != Interpolation::bilinear
          ? fmt::format("resize {} centre {} ", interpolation_name(p.interpolation), p.crop_pct)
          : "";
  return resizing +
         fmt::format(
             "form {} weights {} {} pixels {} {} {} {} {} data {} rows {} validation {} method {} "
             "teachers "
             "{} {} zoo{} lambda {} rate {} decay {} seed {} {} epochs {} batch {} {} views {} {} "
             "threads "
             "{} taken {} observed {}",
             kTrainingForm, file_digest(job.network->file), job.network->recipe, p.input_size,
             p.input_scale, fmt::join(p.mean, ","), fmt::join(p.std, ","), p.bgr,
             context.data_digest, context.data->rows.size(), context.data->validation.size(),
             method_name(job.method), job.teachers, job.teacher_digests, zoo, job.lambda, job.rate,
             job.decay, s.seed, job.seed, s.epochs, s.batch, schedule_name(s.schedule), s.views,
             s.least_area, s.network_threads, static_cast<int>(s.taken), job.observe);
}

std::vector<std::vector<float>> zoo_parameters(const TuneJob& job, int threads) {
  std::vector<std::vector<float>> out;
  for (const NetworkSource* other : job.zoo)
    out.push_back(other->train(threads)->state(StateKind::parameters));
  return out;
}

// Back to the user's units.
Quality in_user_units(Quality quality, const TrainingImages& data) {
  if (!quality.accuracy) quality.loss *= data.scale * data.scale;
  return quality;
}

std::string epoch_text(const TuneJob& job, const EpochRecord& epoch, Index epochs) {
  std::string text = fmt::format("{}, epoch {}/{}: loss {:.3f}", job_name(job), epoch.epoch, epochs,
                                 epoch.train_loss);
  if (job.lambda > 0.0)
    text += fmt::format(" (task {:.3f}, penalty {:.4f})", epoch.task_loss, epoch.penalty);
  if (epoch.validation && epoch.validation->accuracy)
    text += fmt::format(", held back {:.3f}", *epoch.validation->accuracy);
  return text;
}

}  // namespace

std::string job_name(const TuneJob& job) {
  const std::string set = job.teachers.empty() ? "" : job.teachers + " ";
  if (job.seed != kSearchSeed)
    return fmt::format("{} {} {}seed {}", job.network->name, method_name(job.method), set,
                       job.seed);
  const std::string setting = job.ratio
                                  ? fmt::format("r {}", *job.ratio)
                                  : fmt::format("lambda {:.4g}, rate {:.4g}", job.lambda, job.rate);
  return fmt::format("search: {} {} {}{}", job.network->name, method_name(job.method), set,
                     setting);
}

std::filesystem::path checkpoint_file(const TuneJob& job, const TuneContext& context) {
  const std::filesystem::path& folder = context.settings->checkpoints;
  return folder.empty() ? folder : folder / (short_digest(cache_key_of(job, context)) + ".npz");
}

TuneRun run_job(const TuneJob& job, const TuneContext& context, const TrainProgress& progress) {
  const double started = monotonic_seconds();
  const TrainingImages& data = *context.data;
  const TuneSettings& settings = *context.settings;
  const Preprocessing preprocessing =
      with_input_size(job.network->preprocessing, context.input_size);
  const ViewOptions views{settings.seed, settings.least_area};
  const PrepareBatch prepare = batches_of(data.train.images, preprocessing, views);
  const std::unique_ptr<Trainer> trainer = job.network->train(settings.network_threads);
  const BatchRow first{data.rows.front(), 0};
  const auto dim =
      static_cast<Index>(trainer->forward(prepare({&first, 1}).images(), Pass::evaluation).size());
  const std::uint64_t seed = mixed_seed(settings.seed, static_cast<std::uint64_t>(job.seed));
  const TunerSetting tuner_setting{.sgd = {.weight_decay = job.decay},
                                   .penalty = job.penalty,
                                   .lambda = job.lambda,
                                   .observe = job.observe,
                                   .seed = seed};
  const std::vector<std::vector<float>> others = zoo_parameters(job, settings.network_threads);
  Tuner tuner(*trainer, dim, data.targets, tuner_setting, others);
  const TrainOptions options{.epochs = settings.epochs,
                             .batch = settings.batch,
                             .rate = job.rate,
                             .schedule = settings.schedule,
                             .taken = settings.taken,
                             .views = settings.views,
                             .seed = seed,
                             .checkpoint = checkpoint_file(job, context),
                             .cache_key = cache_key_of(job, context)};
  TuneRun run{.method = job.method,
              .teachers = job.teachers,
              .seed = static_cast<std::uint64_t>(std::max<Index>(job.seed, 0)),
              .rate = job.rate,
              .decay = job.decay,
              .lambda = job.lambda,
              .ratio = job.ratio,
              .dim = dim,
              .variant = job.variant};
  run.training = train(tuner, prepare, data.rows, data.validation, options, progress);
  for (EpochRecord& epoch : run.training.epochs)
    if (epoch.validation) epoch.validation = in_user_units(*epoch.validation, data);
  tuner.set_weights(run.training.weights);
  if (data.test) {
    std::vector<Index> all(static_cast<std::size_t>(data.test->images->count()));
    std::iota(all.begin(), all.end(), 0);
    const PrepareBatch tested = batches_of(data.test->images, preprocessing, views);
    run.test =
        in_user_units(quality_on(tuner, tested, all, *data.test_targets, settings.batch), data);
  }
  if (!job.file.empty()) {
    save_tuned_network(*trainer, run.training.weights, data, job.file);
    run.file = job.file;
  }
  run.training.weights = {};
  run.seconds = monotonic_seconds() - started;
  return run;
}

std::vector<std::optional<TuneRun>> run_jobs(ThreadPool& pool, const std::vector<TuneJob>& jobs,
                                             const TuneContext& context,
                                             const ProgressCallback& progress,
                                             std::vector<FailedModel>& failed) {
  if (!context.settings->checkpoints.empty())
    std::filesystem::create_directories(context.settings->checkpoints);
  std::vector<std::optional<TuneRun>> runs(jobs.size());
  std::vector<std::string> errors(jobs.size());
  std::vector<double> done(jobs.size(), 0.0);
  std::mutex mutex;
  const auto task = [&](Index k) {
    const auto i = static_cast<std::size_t>(k);
    const TrainProgress told = [&](double part, const EpochRecord& epoch) {
      const std::lock_guard lock(mutex);
      done[i] = part;
      if (progress) {
        progress(std::accumulate(done.begin(), done.end(), 0.0) / static_cast<double>(jobs.size()),
                 epoch_text(jobs[i], epoch, context.settings->epochs));
      }
    };
    try {
      runs[i] = run_job(jobs[i], context, told);
    } catch (const std::exception& error) {
      errors[i] = error.what();
    }
  };
  const auto count = static_cast<Index>(jobs.size());
  if (context.settings->network_threads > 1) {
    for (Index k = 0; k < count; ++k) task(k);
  } else {
    pool.run(count, task);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!runs[i]) failed.push_back({job_name(jobs[i]), errors[i]});
  return runs;
}

}  // namespace assay
