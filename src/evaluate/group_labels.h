#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/evaluate.h"

namespace assay {

using Cells = std::map<std::string, std::string>;  // model -> cell of the group column

// The cells of every data set as labels. When all are numbers, 512 and 512.0 are the
// same label and labels sort by size; numbers of the column `classes` are put into the
// bands 2, 3-10, 11-50, 51-200, >200. Throws Error for a number of classes below 2 or
// that is not whole. `bands` of one's own hold for any column: what lies in none of them
// belongs to no group; throws Error where cells are not numbers.
std::vector<std::map<std::string, GroupLabel>> group_labels(const std::string& column,
                                                            const std::vector<Cells>& datasets,
                                                            const std::vector<GroupBand>& bands);

}  // namespace assay
