#include "fold_padding.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace assay::plugin {
namespace {

using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::toIValue;
using torch::jit::Value;

using Amounts = std::vector<int64_t>;  // left, right, top, bottom

// Arguments of aten::conv2d.
enum ConvolutionInput { kImages, kWeight, kBias, kStride, kPadding, kDilation, kGroups };

// What changes a tensor in place, or runs sometimes only, makes the order of steps matter.
bool is_plain(const Graph& graph) {
  const auto nodes = graph.nodes();
  return std::all_of(nodes.begin(), nodes.end(), [](const Node* node) {
    const c10::FunctionSchema* const schema = node->maybeSchema();
    return node->blocks().empty() && (schema == nullptr || !schema->is_mutable());
  });
}

bool pads_with_zeros(const Node& pad) {
  const auto mode = toIValue(pad.input(2));
  const auto value = toIValue(pad.input(3));
  const bool zero = value && (value->isNone() || (value->isDouble() && value->toDouble() == 0.0));
  return mode && mode->toStringRef() == "constant" && zero;
}

bool is_constant_convolution(const Node& node) {
  if (node.kind() != c10::Symbol::fromQualString("aten::conv2d")) return false;
  const auto padding = toIValue(node.input(kPadding));
  return padding && padding->isIntList() && padding->toIntVector().size() == 2 &&
         toIValue(node.input(kWeight)) && toIValue(node.input(kDilation));
}

// Positions of the paddings that only a convolution reads.
std::vector<std::size_t> find_paddings(const Graph& graph) {
  static const auto pad_kind = c10::Symbol::fromQualString("aten::pad");
  std::vector<std::size_t> found;
  std::size_t position = 0;
  for (const Node* node : graph.nodes()) {
    if (node->kind() == pad_kind && pads_with_zeros(*node) && node->output()->uses().size() == 1) {
      const torch::jit::Use use = node->output()->uses().front();
      if (use.offset == kImages && is_constant_convolution(*use.user)) found.push_back(position);
    }
    ++position;
  }
  return found;
}

std::vector<Node*> nodes_at(Graph& graph, const std::vector<std::size_t>& positions) {
  std::vector<Node*> all(graph.nodes().begin(), graph.nodes().end());
  std::vector<Node*> out;
  for (const std::size_t position : positions) out.push_back(all[position]);
  return out;
}

// The amounts each of these paddings has when the graph runs on these images.
std::vector<Amounts> measured(const torch::jit::Module& program, const Graph& graph,
                              const std::vector<std::size_t>& positions, const at::Tensor& images) {
  const std::shared_ptr<Graph> copy = const_cast<Graph&>(graph).copy();
  while (!copy->outputs().empty()) copy->eraseOutput(copy->outputs().size() - 1);
  for (Node* pad : nodes_at(*copy, positions)) copy->registerOutput(pad->input(1));
  torch::jit::Stack stack = {program._ivalue(), images};
  torch::jit::GraphExecutor(copy, "").run(stack);
  std::vector<Amounts> out;
  for (const c10::IValue& amounts : stack) out.push_back(amounts.toIntVector());
  return out;
}

// From a padding before and after to the same padding on both sides and zeros before the weights.
bool can_be_folded(const Amounts& amounts, const Amounts& dilation) {
  if (amounts.size() != 4 || *std::min_element(amounts.begin(), amounts.end()) < 0) return false;
  const int64_t columns = amounts[1] - amounts[0];
  const int64_t rows = amounts[3] - amounts[2];
  if (columns == 0 && rows == 0) return true;
  const bool dense =
      std::all_of(dilation.begin(), dilation.end(), [](int64_t d) { return d == 1; });
  return dense && columns >= 0 && columns <= 1 && rows >= 0 && rows <= 1;
}

void fold(Graph& graph, Node& pad, const Amounts& amounts) {
  Node& convolution = *pad.output()->uses().front().user;
  const auto [left, right, top, bottom] =
      std::array{amounts[0], amounts[1], amounts[2], amounts[3]};
  if (!can_be_folded(amounts, toIValue(convolution.input(kDilation))->toIntVector())) return;
  const torch::jit::WithInsertPoint here(&convolution);
  const Amounts before = toIValue(convolution.input(kPadding))->toIntVector();
  const Amounts both = {before[0] + bottom, before[1] + right};
  convolution.replaceInput(kPadding, graph.insertConstant(both));
  if (right > left || bottom > top) {
    const at::Tensor weight = toIValue(convolution.input(kWeight))->toTensor();
    const at::Tensor wider = at::constant_pad_nd(weight, {right - left, 0, bottom - top, 0});
    convolution.replaceInput(kWeight, graph.insertConstant(wider));
  }
  convolution.replaceInput(kImages, pad.input(0));
}

}  // namespace

void fold_padding(torch::jit::Module& program, const at::Tensor& images) {
  const std::shared_ptr<Graph> graph = program.get_method("forward").graph();
  const std::vector<std::size_t> positions = find_paddings(*graph);
  if (positions.empty() || !is_plain(*graph)) return;
  const std::vector<Amounts> amounts = measured(program, *graph, positions, images);
  const at::Tensor one_more = at::cat({images, images.slice(0, 0, 1)});
  const std::vector<Amounts> again = measured(program, *graph, positions, one_more);
  const std::vector<Node*> paddings = nodes_at(*graph, positions);
  for (std::size_t i = 0; i < paddings.size(); ++i) {
    if (amounts[i] == again[i]) fold(*graph, *paddings[i], amounts[i]);
  }
  torch::jit::EliminateDeadCode(graph);
}

}  // namespace assay::plugin
