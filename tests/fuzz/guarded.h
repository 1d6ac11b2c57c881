#pragma once

#include "assay/error.h"

namespace assay::fuzz {

// Bad bytes deserve an Error; anything else that leaves a reader is a defect.
template <typename Action>
void read_or_refuse(const Action& action) {
  try {
    action();
  } catch (const Error&) {
  }
}

}  // namespace assay::fuzz
