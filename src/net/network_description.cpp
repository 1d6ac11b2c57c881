#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/network.h"
#include "core/names.h"
#include "io/json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kLargestInput = 16384;
constexpr double kLeastCropShare = 0.1;  // resized images are no larger than ten times the input

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<Backend> backend_of_extension(const fs::path& file) {
  const std::string extension = lower(file.extension().string());
  if (extension == ".pt" || extension == ".pts" || extension == ".torchscript")
    return Backend::torchscript;
  if (extension == ".onnx") return Backend::onnx;
  return {};
}

// Reads the keys of one entry; what is wrong names the file, the entry and the key.
class Entry {
 public:
  Entry(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    const std::string found =
        object_.contains(key)
            ? object_[key].dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60)
            : "nothing";
    fail_input(fmt::format("{}: '{}' must be {}; found {}", where_, key, expected, found));
  }

  // A key may be left out or null.
  bool has(const std::string& key) const {
    return object_.contains(key) && !object_[key].is_null();
  }

  std::string text(const std::string& key) const {
    if (!has(key)) return {};
    if (!object_[key].is_string()) fail(key, "text");
    return object_[key].get<std::string>();
  }

  double number(const std::string& key, double usual) const {
    if (!has(key)) return usual;
    return object_[key].is_number() ? object_[key].get<double>() : (fail(key, "a number"), 0.0);
  }

  std::optional<Index> count(const std::string& key, double least, double most) const {
    if (!has(key)) return {};
    const double value = object_[key].is_number() ? object_[key].get<double>() : -1.0;
    if (!(value >= least && value <= most) || value != std::floor(value))
      fail(key, fmt::format("a whole number of at least {}", least) +
                    (most < 1e15 ? fmt::format(" and at most {}", most) : std::string()));
    return static_cast<Index>(value);
  }

  std::array<double, 3> three(const std::string& key, std::array<double, 3> usual) const {
    if (!has(key)) return usual;
    const json& value = object_[key];
    const bool numbers =
        value.is_array() && value.size() == 3 &&
        std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_number(); });
    if (!numbers) fail(key, "an array of 3 numbers, one per channel");
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
  }

 private:
  const json& object_;
  std::string where_;
};

Backend read_backend(const Entry& entry, const fs::path& file) {
  const std::string named = lower(entry.text("backend"));
  if (named == "torchscript" || named == "torch") return Backend::torchscript;
  if (named == "onnx") return Backend::onnx;
  if (!named.empty()) entry.fail("backend", "\"torchscript\" or \"onnx\"");
  const std::optional<Backend> backend = backend_of_extension(file);
  if (!backend) entry.fail("backend", "given, as the file's name does not end in .pt or .onnx");
  return *backend;
}

Preprocessing read_preprocessing(const Entry& entry) {
  Preprocessing out;
  out.input_size = entry.count("input_size", 1, kLargestInput).value_or(out.input_size);
  out.input_scale = entry.number("input_scale", out.input_scale);
  if (!(out.input_scale > 0.0) || !std::isfinite(out.input_scale))
    entry.fail("input_scale", "a number above 0 (255 brings pixels to 0 ... 1)");
  const std::string resizing = lower(entry.text("interpolation"));
  if (!resizing.empty() && resizing != "bilinear" && resizing != "bicubic")
    entry.fail("interpolation", "\"bilinear\" or \"bicubic\"");
  if (resizing == "bicubic") out.interpolation = Interpolation::bicubic;
  if (entry.has("crop_pct")) out.crop_pct = entry.number("crop_pct", 1.0);
  if (entry.has("crop_pct") && !(out.crop_pct >= kLeastCropShare && out.crop_pct <= 1.0))
    entry.fail("crop_pct", fmt::format("a number from {} to 1", kLeastCropShare));
  out.mean = entry.three("mean", out.mean);
  out.std = entry.three("std", out.std);
  if (std::any_of(out.std.begin(), out.std.end(), [](double value) { return !(value > 0.0); }))
    entry.fail("std", "3 numbers above 0");
  const std::string order = lower(entry.text("channel_order"));
  if (!order.empty() && order != "rgb" && order != "bgr")
    entry.fail("channel_order", "\"RGB\" or \"BGR\"");
  out.bgr = order == "bgr";
  return out;
}

constexpr std::size_t kSha256Digits = 64;

std::string read_sha256(const Entry& entry) {
  std::string value = lower(entry.text("sha256"));
  const bool hex = value.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!value.empty() && (value.size() != kSha256Digits || !hex))
    entry.fail("sha256", "64 hexadecimal digits");
  return value;
}

NetworkDescription read_entry(const Entry& entry, const fs::path& folder) {
  NetworkDescription out;
  const std::string file = entry.text("file");
  if (file.empty()) entry.fail("file", "the network's file, relative to hub.json");
  out.file = folder / file;
  out.name = entry.has("name") ? entry.text("name") : out.file.stem().string();
  if (!is_plain_name(out.name)) {
    entry.fail("name",
               "a plain name: some text without '/' or control characters, not . or ..; "
               "results are written under it");
  }
  out.backend = read_backend(entry, out.file);
  out.preprocessing = read_preprocessing(entry);
  out.feature_output = entry.text("feature_output");
  out.logits_output = entry.text("logits_output");
  constexpr double no_limit = 1e15;
  out.feature_dim = entry.count("feature_dim", 1, no_limit).value_or(0);
  out.classes = entry.count("classes", 0, no_limit);
  out.params = entry.count("params", 0, no_limit).value_or(0);
  out.licence = entry.has("licence") ? entry.text("licence") : entry.text("license");
  out.notes = entry.text("notes");
  out.sha256 = read_sha256(entry);
  return out;
}

std::string label_of(const json& item, std::size_t number) {
  for (const char* key : {"name", "file"}) {
    if (item.is_object() && item.contains(key) && item[key].is_string())
      return item[key].get<std::string>();
  }
  return fmt::format("entry {}", number);
}

}  // namespace

std::string interpolation_name(Interpolation interpolation) {
  return interpolation == Interpolation::bicubic ? "bicubic" : "bilinear";
}

std::string backend_name(Backend backend) {
  return backend == Backend::torchscript ? "torchscript" : "onnx";
}

bool is_network_file(const fs::path& file) { return backend_of_extension(file).has_value(); }

NetworkDescription default_description(const fs::path& file) {
  const std::optional<Backend> backend = backend_of_extension(file);
  if (!backend)
    fail_input(
        fmt::format("{}: not a network; expected .pt (TorchScript) or .onnx", file.string()));
  NetworkDescription out;
  out.name = file.stem().string();
  out.file = file;
  out.backend = *backend;
  out.preprocessing.mean = {0.485, 0.456, 0.406};
  out.preprocessing.std = {0.229, 0.224, 0.225};
  out.described = false;
  return out;
}

NetworkList read_hub_json(const fs::path& file) {
  const json entries = read_json(file);
  if (!entries.is_array())
    fail_input(fmt::format("{}: expected an array of objects, one per network", file.string()));
  NetworkList out;
  std::set<std::string> names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string label = label_of(entries[i], i + 1);
    const std::string where = fmt::format("{}: entry {} ('{}')", file.string(), i + 1, label);
    try {
      if (!entries[i].is_object()) fail_input(where + ": expected an object");
      NetworkDescription network = read_entry(Entry(entries[i], where), file.parent_path());
      if (!names.insert(network.name).second)
        fail_input(where + ": 'name' is that of an earlier entry; rename one");
      out.networks.push_back(std::move(network));
    } catch (const Error& error) {
      out.failed.push_back({label, error.what()});
    }
  }
  return out;
}

}  // namespace assay
