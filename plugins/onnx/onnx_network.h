#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assay/plugin.h"
#include "onnx_runtime.h"

namespace assay::plugin {

// An ONNX graph with one input, the images, and any number of outputs of float32.
class OnnxNetwork {
 public:
  explicit OnnxNetwork(const AssayPluginRequest& request);

  struct Output {
    std::string name;        // "features", "logits" or the graph's own
    std::string graph_name;  // as in the file
    int64_t dim;             // numbers per image, 0 when the graph leaves it open
  };
  const std::vector<Output>& outputs() const { return outputs_; }

  // Count x dim values of each output asked for, in that order.
  std::vector<std::vector<float>> forward(const AssayPluginBatch& batch,
                                          const std::vector<int64_t>& wanted) const;

 private:
  struct Input {
    std::string name;
    std::vector<int64_t> sizes;           // of images, channels, rows and columns; -1: left open
    std::vector<std::string> open_names;  // ... and what the graph calls those
  };
  using Session = std::shared_ptr<OrtSession>;
  using SessionKey = std::array<int64_t, 3>;  // images, rows, columns

  Input read_input(OrtSession* session) const;
  std::vector<Output> graph_outputs(OrtSession* session) const;
  int64_t images_per_run(int64_t count) const;
  Session session_for(int64_t images, const AssayPluginBatch& batch) const;
  void append(OrtSession* session, const AssayPluginBatch& part, int64_t rows,
              const std::vector<const char*>& names, std::vector<std::vector<float>>& values) const;

  std::string file_;
  OrtOwned<OrtMemoryInfo> memory_;
  Input input_;
  std::vector<Output> outputs_;
  mutable std::mutex mutex_;
  mutable std::map<SessionKey, Session> sessions_;  // of the size of images seen last
};

}  // namespace assay::plugin
