#pragma once

#include <string>

namespace assay {

// A model that could not be used, and why; the others were.
struct FailedModel {
  std::string name;
  std::string error;
};

}  // namespace assay
