#include "tune/checkpoint.h"

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "io/json.h"
#include "io/npz.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// The member a vector is kept in, for both directions.
template <typename Self>
auto vectors_of(Self& checkpoint) {
  return std::array{std::pair{"learnt", &checkpoint.state.learnt},
                    std::pair{"velocity", &checkpoint.state.velocity},
                    std::pair{"buffers", &checkpoint.state.buffers},
                    std::pair{"average", &checkpoint.average}};
}

Json epoch_json(const EpochRecord& epoch) {
  Json json = {{"epoch", epoch.epoch},
               {"train_loss", epoch.train_loss},
               {"task_loss", epoch.task_loss},
               {"penalty", epoch.penalty},
               {"task_gradient", epoch.task_gradient},
               {"penalty_gradient", epoch.penalty_gradient},
               {"seconds", epoch.seconds}};
  if (epoch.validation) {
    json["validation_loss"] = epoch.validation->loss;
    if (epoch.validation->accuracy) json["validation_accuracy"] = *epoch.validation->accuracy;
  }
  return json;
}

EpochRecord epoch_of(const Json& json) {
  EpochRecord out{.epoch = json.at("epoch"),
                  .train_loss = json.at("train_loss"),
                  .task_loss = json.at("task_loss"),
                  .penalty = json.at("penalty"),
                  .task_gradient = json.at("task_gradient"),
                  .penalty_gradient = json.at("penalty_gradient"),
                  .seconds = json.at("seconds")};
  if (json.contains("validation_loss")) {
    out.validation = Quality{{}, json.at("validation_loss")};
    if (json.contains("validation_accuracy"))
      out.validation->accuracy = json.at("validation_accuracy").get<double>();
  }
  return out;
}

std::vector<float> floats_in(const std::filesystem::path& path, const std::string& member) {
  const Array array = open_npz_member(path, member);
  if (array.type != ElementType::f32) fail_input("not a checkpoint");
  std::vector<float> out(static_cast<std::size_t>(array.size()));
  if (!out.empty()) std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

Json log_in(const std::filesystem::path& path) {
  const Array array = open_npz_member(path, "log");
  return parse_json({reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()},
                    path.string());
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const std::string& cache_key,
                      const Checkpoint& checkpoint) {
  Json log = {{"identity", cache_key}, {"epochs", Json::array()}};
  for (const EpochRecord& epoch : checkpoint.result.epochs)
    log["epochs"].push_back(epoch_json(epoch));
  const std::string text = log.dump();
  std::vector<NpzMember> members = {
      {"log", ElementType::u8, {static_cast<Index>(text.size())}, std::as_bytes(std::span(text))}};
  for (const auto& [name, values] : vectors_of(checkpoint)) {
    members.push_back({name,
                       ElementType::f32,
                       {static_cast<Index>(values->size())},
                       std::as_bytes(std::span(*values))});
  }
  write_npz(path, members);
}

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path,
                                          const std::string& cache_key) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) return std::nullopt;
  try {
    const Json log = log_in(path);
    if (log.at("identity") != cache_key) return std::nullopt;
    Checkpoint out;
    for (const Json& epoch : log.at("epochs")) out.result.epochs.push_back(epoch_of(epoch));
    for (const auto& [name, values] : vectors_of(out)) *values = floats_in(path, name);
    return out;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace assay
