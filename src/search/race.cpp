#include "search/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "search/budget.h"

namespace assay {
namespace {

bool is_beaten(const RacedModel& model) {
  return !model.looks.empty() && model.looks.back().high && *model.looks.back().high < 0.0;
}

// A model on its way.
struct Runner {
  RacedModel result = {};
  std::string error = {};
  Sighting now = {};
  double seconds_per_sample = 0.0;
  double look_seconds = 0.0;  // of the latest look

  double value() const { return now.value; }
};

class Race {
 public:
  Race(ThreadPool& pool, RaceField& field, const RaceSetting& setting,
       const ProgressCallback& progress)
      : pool_(pool),
        field_(field),
        setting_(setting),
        progress_(progress),
        all_(setting.looks.back()),
        purse_(setting.budget, static_cast<Index>(setting.order.size()), all_) {
    for (const std::string& name : field.names()) runners_.push_back({.result = {.name = name}});
    const auto models = static_cast<Index>(runners_.size());
    const double halvings =
        std::max(0.0, std::ceil(std::log2(static_cast<double>(models) /
                                          static_cast<double>(std::max<Index>(1, setting.top)))));
    rule_ = {setting.level, models, std::ssize(setting.looks) + static_cast<Index>(halvings)};
  }

  RaceOutcome run() {
    left_ = setting_.order;
    Index samples = setting_.looks.front();
    while (samples > 0) {
      look(samples);
      judge(samples);
      if (samples == all_ || count_of(RaceState::untried) > 0 || std::ssize(left_) <= setting_.top)
        break;
      samples = next_look(samples);
    }
    return finish();
  }

 private:
  Runner& runner(std::size_t model) { return runners_[model]; }

  // Half of what is left may go to all models that are left; when that does not do, the better half
  // of them share the rest, as in successive halving. 0: the budget is spent.
  Index next_look(Index seen) {
    const Index planned = std::min(all_, 2 * seen);
    const double purse = purse_.left();
    const double price = price_of(left_.size(), planned - seen);
    if (price <= 0.5 * purse || (planned == all_ && price <= purse)) return planned;
    constexpr Index worthwhile = 8;  // a share of what was seen that may change a score
    const Index least = std::max<Index>(1, seen / worthwhile);
    // To choose among fewer than twice as many as are asked for is hardly a choice.
    const std::size_t enough = std::min(left_.size(), 2 * top());
    std::size_t keep = left_.size();
    Index more = 0;
    do {
      keep = std::max(enough, (keep + 1) / 2);
      more = std::min(planned - seen, affordable(keep, purse));
    } while (more < least && keep > enough);
    if (more < least) return 0;
    set_aside(keep);
    return seen + more;
  }

  std::size_t top() const { return static_cast<std::size_t>(setting_.top); }

  double price_of(std::size_t models, Index samples) {
    double price = 0.0;
    for (std::size_t k = 0; k < models; ++k)  // the best first
      price += purse_.price(samples, runner(left_[k]).seconds_per_sample);
    return price;
  }

  // Samples more that each of so many can see, when every halving down to the top gets as much.
  Index affordable(std::size_t models, double purse) {
    const double rounds = std::max(
        1.0, std::ceil(std::log2(static_cast<double>(models) / static_cast<double>(top()))));
    const double each = price_of(models, 1);
    return each > 0.0 ? static_cast<Index>(std::max(0.0, std::floor(purse / rounds / each))) : all_;
  }

  void set_aside(std::size_t served) {
    for (std::size_t k = served; k < left_.size(); ++k)
      runner(left_[k]).result.state = RaceState::set_aside;
    left_.resize(served);
  }

  void look(Index samples) {
    const Index before = looks_.empty() ? 0 : looks_.back();
    looks_.push_back(samples);
    std::size_t serving = left_.size();
    if (before == 0 && setting_.budget.unit != SearchBudget::Unit::seconds) {
      const double price = purse_.price(samples, 0.0);
      serving = std::min(serving, static_cast<std::size_t>(std::max(0.0, purse_.left() / price)));
    }
    done_ = 0;
    const auto visit = [&](Index k) {
      if (before == 0 && purse_.left() <= 0.0 && k > 0 && by_time()) return;
      see(left_[static_cast<std::size_t>(k)], samples - before);
    };
    if (field_.side_by_side()) {
      pool_.run(static_cast<Index>(serving), visit);
    } else {
      for (Index k = 0; k < static_cast<Index>(serving); ++k) visit(k);
    }
    std::erase_if(left_, [&](std::size_t model) {
      return !runner(model).error.empty() || runner(model).result.state == RaceState::untried;
    });
  }

  bool by_time() const { return setting_.budget.unit == SearchBudget::Unit::seconds; }

  void see(std::size_t model, Index more) {
    Runner& one = runner(model);
    LookResult found;
    try {
      found = field_.look(model, looks_);
      if (!std::isfinite(found.sighting.value))
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: has no score on {} samples", one.result.name, looks_.back()));
    } catch (const std::exception& error) {  // a backend may throw anything
      one.error = error.what();
    }
    const std::lock_guard lock(mutex_);
    one.now = std::move(found.sighting);
    one.result.dim = found.dim;
    one.result.passes += found.passes;
    one.result.seconds += found.seconds;
    one.result.state = RaceState::contender;
    one.look_seconds = found.seconds;
    one.seconds_per_sample = found.seconds / static_cast<double>(more);
    purse_.pay(found.passes);
    ++done_;
    if (progress_) progress_(share_done(), status(one.result.name));
  }

  // How far the race is by its looks: nobody knows how many models the next one will have.
  double share_done() const {
    const auto looks = static_cast<double>(setting_.looks.size());
    const double within = static_cast<double>(done_) / static_cast<double>(left_.size());
    return std::min(1.0, (static_cast<double>(looks_.size()) - 1.0 + within) / looks);
  }

  std::string status(const std::string& name) const {
    return fmt::format("{} of {} models in the race, {} of {} samples: {}", left_.size(),
                       runners_.size(), looks_.back(), all_, name);
  }

  // Best first; who was seen at this look is compared with the best, and leaves or stays.
  void judge(Index samples) {
    if (left_.empty()) return;
    std::ranges::sort(left_, [&](std::size_t a, std::size_t b) { return before(a, b); });
    const LookPlace place{samples, base_of(samples), all_};
    std::vector<const Sighting*> sightings;
    for (const std::size_t model : left_) {
      Runner& one = runner(model);
      const auto then = std::ranges::find(one.result.looks, place.base, &RaceLook::samples);
      if (then != one.result.looks.end()) one.now.before = then->value;
      sightings.push_back(&one.now);
    }
    const Sighting& leader = *sightings.front();
    const double slopes = true_slopes(place, sightings, leader);
    for (const std::size_t model : left_)
      runner(model).result.looks.push_back(
          look_at(rule_, place, runner(model).now, leader, slopes));
    while (std::ssize(left_) > setting_.top) {
      const auto beaten = std::find_if(left_.rbegin(), left_.rend(), [&](std::size_t model) {
        return is_beaten(runner(model).result);
      });
      if (beaten == left_.rend()) break;
      runner(*beaten).result.state = RaceState::dropped;
      left_.erase(std::next(beaten).base());
    }
    for (Runner& one : runners_) {  // a thousand models must not keep what is not asked for again
      if (one.result.state != RaceState::contender) one.now.contributions = {};
    }
  }

  // The look that slopes are measured from: up to two doublings back, where that tells something.
  Index base_of(Index samples) const {
    constexpr Index stretch = 4;
    for (const Index earlier : looks_) {
      if (earlier < samples && stretch * earlier >= samples && earlier >= setting_.telling)
        return earlier;
    }
    return 0;
  }

  bool before(std::size_t a, std::size_t b) const {
    const Runner& x = runners_[a];
    const Runner& y = runners_[b];
    if (x.value() != y.value()) return x.value() > y.value();
    return x.result.name < y.result.name;
  }

  std::ptrdiff_t count_of(RaceState state) const {
    return std::ranges::count_if(runners_, [&](const Runner& one) {
      return one.result.state == state && one.error.empty();
    });
  }

  // Those still in the race, then by how long they were in it.
  static int standing(const RacedModel& model) {
    return model.state == RaceState::contender ? 0 : model.state == RaceState::untried ? 2 : 1;
  }

  // Only who saw all samples, or was dropped, is out of the question.
  RaceEnd how_it_ended() const {
    if (count_of(RaceState::untried) + count_of(RaceState::set_aside) > 0) return RaceEnd::budget;
    if (looks_.back() == all_) return RaceEnd::all_seen;
    return std::ssize(left_) <= setting_.top ? RaceEnd::decided : RaceEnd::budget;
  }

  RaceOutcome finish() {
    RaceOutcome out{.end = how_it_ended(), .looks = looks_};
    for (Runner& one : runners_) {
      if (!one.error.empty()) {
        out.failed.push_back({one.result.name, one.error});
        continue;
      }
      if (!one.result.looks.empty()) {
        const auto more = static_cast<double>(all_ - one.result.samples());
        one.result.seconds_saved = more * one.seconds_per_sample;
      }
      out.models.push_back(std::move(one.result));
    }
    std::ranges::stable_sort(out.models, [](const RacedModel& a, const RacedModel& b) {
      if (standing(a) != standing(b)) return standing(a) < standing(b);
      if (a.samples() != b.samples()) return a.samples() > b.samples();
      if (a.looks.empty() || a.looks.back().value == b.looks.back().value) return a.name < b.name;
      return a.looks.back().value > b.looks.back().value;
    });
    for (std::size_t k = 0; k < out.models.size(); ++k) {
      out.models[k].reported = static_cast<Index>(k) < setting_.top && !out.models[k].looks.empty();
      out.passes += out.models[k].passes;
      // Who stays only because `top` were asked for is known not to be the best.
      if (out.models[k].state == RaceState::contender && is_beaten(out.models[k]))
        out.models[k].state = RaceState::dropped;
    }
    return out;
  }

  ThreadPool& pool_;
  RaceField& field_;
  const RaceSetting& setting_;
  const ProgressCallback& progress_;
  Index all_;
  Purse purse_;
  DropRule rule_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> left_;  // in the race; after a look the best first
  std::vector<Index> looks_;
  std::mutex mutex_;
  Index done_ = 0;  // models of this look
};

}  // namespace

RaceOutcome run_race(ThreadPool& pool, RaceField& field, const RaceSetting& setting,
                     const ProgressCallback& progress) {
  return Race(pool, field, setting, progress).run();
}

}  // namespace assay
