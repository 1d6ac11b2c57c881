#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/array.h"
#include "assay/types.h"

namespace assay {

// soft_classes: a probability of every class, where somebody says so (soft_labels_of).
enum class TargetKind { classes, regression, multi_label, soft_classes };

// What the features are to predict, one entry per sample, checked on reading:
// values are finite, classes are the distinct ids present (gaps do not matter).
struct Targets {
  TargetKind kind = TargetKind::classes;
  std::vector<Label> labels;       // classes only: n encoded ids
  Matrix values;                   // all others: n x C
  std::vector<std::string> names;  // one per column: the class id, or the column's name
  std::string where;               // the file, for messages

  Index rows() const {
    return kind == TargetKind::classes ? static_cast<Index>(labels.size()) : values.rows();
  }
  Index columns() const { return static_cast<Index>(names.size()); }
};

// Classes from ids as the user wrote them; codes follow the order of the ids
// (numeric for integers, byte order for text).
Targets targets_of_classes(std::span<const std::int64_t> ids, std::string where);
Targets targets_of_classes(std::span<const std::string> ids, std::string where);

// Regression targets, one column each. Throws Error on NaN, infinity and values beyond 1e100.
Targets targets_of_values(Matrix values, std::vector<std::string> names, std::string where);

// Rows of several numbers read as probabilities of classes: each row divided by its sum. Throws
// Error, naming the row, for numbers outside [0, 1], sums further than 1e-3 from 1 and targets of
// one column.
Targets soft_labels_of(Targets targets);

// By the rules of the contract: 1-D integers, booleans, text (or shape (n, 1)) are
// classes; floats are regression; 2-D 0/1 integers are multi-label.
Targets targets_of_array(const Array& array);

}  // namespace assay
