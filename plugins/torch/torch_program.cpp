#include "torch_program.h"

#include <torch/csrc/jit/passes/common_subexpression_elimination.h>

#include "fold_padding.h"

namespace assay::plugin {

using torch::jit::Module;

Module tuple_of_methods(const Module& network, const std::vector<std::string>& methods) {
  Module program(c10::QualifiedName("__torch__.AssayProgram"),
                 network._ivalue()->compilation_unit(), /*shouldMangle=*/true);
  program.register_attribute("training", c10::BoolType::get(), false);
  program.register_module("network", network);
  std::string calls;
  for (const std::string& method : methods) calls += "self.network." + method + "(x), ";
  program.define("def forward(self, x):\n    return (" + calls + ")\n");
  return program;
}

Module made_fast(const Module& program, const at::Tensor& images) {
  Module frozen = torch::jit::freeze(program);
  torch::jit::EliminateCommonSubexpression(frozen.get_method("forward").graph());
  fold_padding(frozen, images);
  return torch::jit::optimize_for_inference(frozen);
}

}  // namespace assay::plugin
