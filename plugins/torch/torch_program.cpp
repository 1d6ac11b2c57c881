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

Module with_head(const Module& network, const std::string& method, const at::Tensor& weight,
                 const at::Tensor& bias) {
  Module out(c10::QualifiedName("__torch__.AssayTuned"), network._ivalue()->compilation_unit(),
             /*shouldMangle=*/true);
  out.register_attribute("training", c10::BoolType::get(), false);
  out.register_attribute("feature_dim", c10::IntType::get(), weight.size(1));
  out.register_attribute("num_classes", c10::IntType::get(), weight.size(0));
  out.register_module("network", network);
  out.register_parameter("weight", weight, /*is_buffer=*/false);
  out.register_parameter("bias", bias, /*is_buffer=*/false);
  out.define("def forward(self, x):\n    return self.network." + method + "(x)\n");
  out.define("def head(self, f):\n    return torch.addmm(self.bias, f, self.weight.t())\n");
  out.define("def logits(self, x):\n    return self.head(self.forward(x))\n");
  return out;
}

}  // namespace assay::plugin
