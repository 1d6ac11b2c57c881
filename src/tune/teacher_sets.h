#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/types.h"

namespace assay {

// Networks to learn from, by name, best first.
struct TeacherSet {
  std::string label;  // "top-3", "a+b"
  std::vector<std::string> names;
};

// `text` picks among `ranked` (best first):
//
//   top:K            the K best
//   all              every one
//   a,b,c            these
//   sweep:A..B       top:A, top:A+1, ... top:B, a set each (the LogME paper's Figure 11)
//   combinations:K   every set of K (its Figure 10)
//
// Several of these, separated by ';', are so many sets; a set that is there already is left out. K
// beyond the number of networks means all of them. Throws Error for anything else, names that are
// not there and more than 1000 sets.
std::vector<TeacherSet> choose_teachers(const std::string& text,
                                        std::span<const std::string> ranked);

}  // namespace assay
