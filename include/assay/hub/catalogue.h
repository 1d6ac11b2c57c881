#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/rows.h"

namespace assay {

// One model of a hub by the files that hold its features (several: shards, in order), or by rows
// that are there already.
struct ModelFiles {
  std::string name;
  std::vector<std::filesystem::path> features;
  std::vector<std::filesystem::path> probabilities = {};  // NAME/probs.*, or shards, or none
  // In memory, no files. Null: the files above.
  Rows rows = nullptr;
  Rows probability_rows = nullptr;
};

struct Catalogue {
  std::vector<ModelFiles> models;               // by name
  std::vector<std::filesystem::path> networks;  // .pt and .onnx files seen: not feature files
};

// Finds the models behind what the user named: directories (a hub: NAME.npy,
// NAME.npz, NAME.h5, NAME.safetensors, NAME.00000.npy ... for shards, or NAME/ with
// features.*), single files, or a list of both. `labels` is never a model.
// A file labels.* inside a hub is no model either. Throws Error for paths that do not exist,
// unknown formats, two models of one name, missing shards, and when nothing is left.
Catalogue find_models(const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels);

// The same, but finding none is no error.
Catalogue list_models(const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels);

// The same model in another catalogue, such as its test features: by name, or, where both have but
// one model, that one whatever its files are called. Throws Error when there is none.
const ModelFiles& counterpart(const Catalogue& catalogue, const ModelFiles& model,
                              const Catalogue& other);

}  // namespace assay
