#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// A model that could not be used, and why; the others were.
struct FailedModel {
  std::string name;
  std::string error;
};

// What a network costs to run.
struct ModelCost {
  double latency_ms = 0.0;  // per image, one thread, one image at a time
  Index params = 0;         // 0: not known
  double bytes = 0.0;       // of the file
};

// One model of a hub by the files that hold its features (several: shards, in order), or by rows
// that are there already.
struct Model {
  std::string name;
  std::vector<std::filesystem::path> features;
  std::vector<std::filesystem::path> probabilities = {};  // NAME/probs.*, or shards, or none
  // In memory, no files. Null: the files above.
  Rows rows = nullptr;
  Rows probability_rows = nullptr;
};

struct ModelList {
  std::vector<Model> models;                    // by name
  std::vector<std::filesystem::path> networks;  // .pt and .onnx files seen: not feature files
};

// Finds the models behind what the user named: directories (a hub: NAME.npy,
// NAME.npz, NAME.h5, NAME.safetensors, NAME.00000.npy ... for shards, or NAME/ with
// features.*), single files, or a list of both. `labels` is never a model.
// A file labels.* inside a hub is no model either. Throws Error for paths that do not exist,
// unknown formats, two models of one name, missing shards, and when nothing is left.
ModelList find_models(const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels);

// The same, but finding none is no error.
ModelList list_models(const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels);

// The same model in another list, such as its test features: by name, or, where both have but
// one model, that one whatever its files are called. Throws Error when there is none.
const Model& same_model_in(const ModelList& models, const Model& model, const ModelList& other);

// The rows of several small draws out of more, where the models hold no others.
struct DrawnRows {
  Index population = 0;                   // rows that were drawn from
  std::vector<std::vector<Index>> draws;  // rows of the models, ascending
};

// Models that a request does not find as files: those of networks that were run on images
// (hub_of_extracted), or what a program that calls the library has in memory. They may come in any
// order and are taken by name, as files are.
struct Hub {
  std::vector<Model> models = {};               // empty: the request's files
  std::optional<Targets> targets = {};          // nothing: the request's labels
  std::optional<Targets> groups = {};           // nothing: the request's groups
  std::optional<DrawnRows> drawn = {};          // in place of the request's `subsample`
  std::map<std::string, ModelCost> costs = {};  // where they are known
  // Said on the way to the models, to be reported with the result.
  std::vector<FailedModel> failed = {};
  std::vector<std::string> notes = {};
  std::vector<FileDigest> inputs = {};  // weights and images
};

// The models by name. Throws Error when two share one.
ModelList models_by_name(const Hub& hub);

}  // namespace assay
