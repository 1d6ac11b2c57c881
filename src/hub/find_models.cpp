#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  std::optional<long> shard;
  fs::path file;
};

constexpr std::size_t kShardDigits = 3;  // at least: "v1.5" is a name, "a.00005" a shard

// NAME.00000.npy is a shard of NAME; anything else names itself.
Entry entry_of_file(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t dot = stem.find_last_of('.');
  if (dot == std::string::npos || dot == 0) return {stem, {}, file};
  long number = 0;
  const char* last = stem.data() + stem.size();
  const auto [end, status] = std::from_chars(stem.data() + dot + 1, last, number);
  const bool numbered = status == std::errc{} && end == last && stem.size() - dot > kShardDigits &&
                        stem[dot + 1] != '-';
  return numbered ? Entry{stem.substr(0, dot), number, file} : Entry{stem, {}, file};
}

bool is_network(const fs::path& file) {
  return file.extension() == ".pt" || file.extension() == ".onnx";
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

// NAME/ holding features.*; nothing when it holds none. A folder that may not be looked into is
// taken for a model, which then fails by itself and not with the whole hub.
std::optional<Entry> entry_of_folder(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code unreadable;
  const fs::directory_iterator files(folder, unreadable);
  if (unreadable) return Entry{folder.filename().string(), {}, folder / "features.npy"};
  for (const fs::directory_entry& file : files) {
    if (file.path().stem() == "features" && is_feature_file(file.path()))
      found.push_back(file.path());
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end());
  if (found.size() > 1) {
    fail_input(fmt::format("{}: both {} and {} are there; keep one", folder.string(),
                           found[0].filename().string(), found[1].filename().string()));
  }
  return Entry{folder.filename().string(), {}, found.front()};
}

// probs.* in the folder of a model, NAME/features.*.
std::vector<fs::path> probabilities_beside(const fs::path& features) {
  if (features.stem() != "features" || !features.has_parent_path()) return {};
  std::vector<fs::path> found;
  std::error_code unreadable;  // said when the features are opened
  for (const fs::directory_entry& file :
       fs::directory_iterator(features.parent_path(), unreadable)) {
    if (file.path().stem() == "probs" && is_feature_file(file.path())) found.push_back(file.path());
  }
  if (found.empty()) return {};
  return {*std::min_element(found.begin(), found.end())};
}

class Collector {
 public:
  explicit Collector(const fs::path& labels) : labels_(labels) {}

  void add_hub(const fs::path& hub) {
    // A folder that is itself one model: NAME/features.npy named directly.
    if (const std::optional<Entry> self = entry_of_folder(hub)) {
      add({fs::weakly_canonical(hub).filename().string(), {}, self->file});
      return;
    }
    for (const fs::directory_entry& item : fs::directory_iterator(hub)) {
      if (item.path().filename().string().starts_with('.')) continue;  // "._a.npy" of a Mac
      std::error_code unreadable;  // a link that leads to itself: by its name it may be a model
      if (item.is_directory(unreadable)) {
        if (const std::optional<Entry> model = entry_of_folder(item.path())) add(*model);
      } else if (is_network(item.path())) {
        found_.networks.push_back(item.path());
      } else if (is_feature_file(item.path()) && item.path().extension() != ".csv" &&
                 item.path().stem() != "labels") {
        add(entry_of_file(item.path()));  // a .csv in a hub is a table of truths or labels
      }
    }
  }

  void add_file(const fs::path& file) {
    if (is_network(file)) {
      found_.networks.push_back(file);
      return;
    }
    if (!is_feature_file(file)) open_features(file);  // throws with the list of formats
    const bool in_model_folder = file.stem() == "features" && file.has_parent_path();
    add(in_model_folder ? Entry{file.parent_path().filename().string(), {}, file}
                        : entry_of_file(file));
  }

  ModelList finish() {
    for (auto& [name, entries] : entries_) {
      std::sort(entries.begin(), entries.end(),
                [](const Entry& a, const Entry& b) { return a.shard < b.shard; });
      check_shards(name, entries);
      Model model{name, {}, {}};
      for (const Entry& entry : entries) model.features.push_back(entry.file);
      model.probabilities = probabilities_beside(entries.front().file);
      found_.models.push_back(std::move(model));
    }
    std::sort(found_.networks.begin(), found_.networks.end());
    return std::move(found_);
  }

 private:
  void add(const Entry& entry) {
    if (!labels_.empty() && same_file(entry.file, labels_)) return;
    std::vector<Entry>& known = entries_[entry.name];
    for (const Entry& other : known) {
      if (same_file(other.file, entry.file)) return;
    }
    known.push_back(entry);
  }

  static void check_shards(const std::string& name, const std::vector<Entry>& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries.size() > 1 &&
          (!entries[i].shard || (i > 0 && entries[i].shard == entries[i - 1].shard))) {
        fail_input(fmt::format("two models are called '{}': {} and {}; rename one", name,
                               entries[i == 0 ? 0 : i - 1].file.string(),
                               entries[i == 0 ? 1 : i].file.string()));
      }
      const auto expected = static_cast<long>(i);
      if (entries[i].shard.value_or(expected) != expected) {
        fail_input(fmt::format("{}: shard {} of '{}' is missing (shards are numbered from 0)",
                               entries[i].file.parent_path().string(), i, name));
      }
    }
  }

  fs::path labels_;
  std::map<std::string, std::vector<Entry>> entries_;
  ModelList found_;
};

}  // namespace

ModelList list_models(const std::vector<fs::path>& inputs, const fs::path& labels) {
  Collector collector(labels);
  for (const fs::path& input : inputs) {
    std::error_code reason;
    const fs::file_status status = fs::status(input, reason);
    if (fs::is_directory(status)) {
      collector.add_hub(input);
    } else if (fs::exists(status)) {
      collector.add_file(input);
    } else {
      throw Error(ErrorCode::io, fmt::format("{}: {}", input.string(),
                                             status.type() == fs::file_type::not_found
                                                 ? "no such file or directory"
                                                 : reason.message()));
    }
  }
  return collector.finish();
}

ModelList find_models(const std::vector<fs::path>& inputs, const fs::path& labels) {
  ModelList found = list_models(inputs, labels);
  if (found.models.empty()) {
    fail_input(fmt::format(
        "{}: no feature files found; expected NAME.npy, .npz, .h5, .safetensors or "
        "NAME/features.*{}",
        inputs.empty() ? "hub" : inputs.front().string(),
        found.networks.empty() ? "" : " (networks need `data`, the images to run them on)"));
  }
  return found;
}

const Model& same_model_in(const ModelList& models, const Model& model, const ModelList& other) {
  if (models.models.size() == 1 && other.models.size() == 1) return other.models.front();
  const auto found = std::find_if(other.models.begin(), other.models.end(),
                                  [&](const Model& m) { return m.name == model.name; });
  if (found != other.models.end()) return *found;
  fail_input(
      fmt::format("{}: no features of this name among those to test or validate on; there is "
                  "'{}', for one",
                  model.name, other.models.front().name));
}

}  // namespace assay
