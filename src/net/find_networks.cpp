#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "assay/network.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

std::string assumed(const NetworkDescription& network) {
  return fmt::format(
      "{}: no hub.json describes it; assuming {} px, RGB, pixels / {:g}, mean and std of ImageNet",
      network.file.string(), network.preprocessing.input_size, network.preprocessing.input_scale);
}

class Collector {
 public:
  void add_hub(const fs::path& hub) {
    const NetworkList described = list_of(hub / "hub.json");
    for (const NetworkDescription& network : described.networks) add(network);
    out_.failed.insert(out_.failed.end(), described.failed.begin(), described.failed.end());
    std::vector<fs::path> files;
    for (const fs::directory_entry& item : fs::directory_iterator(hub)) {
      if (!is_network_file(item.path())) continue;
      std::error_code reason;
      if (item.is_regular_file(reason)) {
        files.push_back(item.path());
      } else if (reason && !mentions(described, item.path())) {
        out_.failed.push_back({item.path().stem().string(),
                               fmt::format("{}: {}", item.path().string(), reason.message())});
      }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (!mentions(described, file)) add(default_description(file));
    }
  }

  void add_file(const fs::path& file) {
    const NetworkList beside = list_of(file.parent_path() / "hub.json");
    for (const NetworkDescription& network : beside.networks) {
      if (same_file(network.file, file)) {
        add(network);
        return;
      }
    }
    for (const FailedNetwork& failed : beside.failed) {
      if (failed.name == file.stem().string() || failed.name == file.filename().string()) {
        out_.failed.push_back(failed);
        return;
      }
    }
    add(default_description(file));
  }

  NetworkList finish() {
    for (auto& [name, network] : networks_) {
      if (!network.described) out_.notes.push_back(assumed(network));
      out_.networks.push_back(std::move(network));
    }
    return std::move(out_);
  }

 private:
  static NetworkList list_of(const fs::path& file) {
    std::error_code unreadable;  // then reading it says why
    return fs::exists(file, unreadable) || unreadable ? read_hub_json(file) : NetworkList{};
  }

  // An entry that failed still speaks of its file: no defaults for that one.
  static bool mentions(const NetworkList& list, const fs::path& file) {
    const auto of_network = [&](const NetworkDescription& n) { return same_file(n.file, file); };
    const auto of_failed = [&](const FailedNetwork& failed) {
      return failed.name == file.stem().string() || failed.name == file.filename().string();
    };
    return std::any_of(list.networks.begin(), list.networks.end(), of_network) ||
           std::any_of(list.failed.begin(), list.failed.end(), of_failed);
  }

  void add(const NetworkDescription& network) {
    const auto [at, is_new] = networks_.emplace(network.name, network);
    if (is_new || same_file(at->second.file, network.file)) return;
    fail_input(fmt::format("two networks are called '{}': {} and {}; rename one", network.name,
                           at->second.file.string(), network.file.string()));
  }

  std::map<std::string, NetworkDescription> networks_;
  NetworkList out_;
};

}  // namespace

NetworkList find_networks(const std::vector<fs::path>& inputs) {
  Collector collector;
  for (const fs::path& input : inputs) {
    if (fs::is_directory(input)) {
      collector.add_hub(input);
    } else if (!fs::exists(input)) {
      throw Error(ErrorCode::io, fmt::format("{}: no such file or directory", input.string()));
    } else if (is_network_file(input)) {
      collector.add_file(input);
    }
  }
  return collector.finish();
}

}  // namespace assay
