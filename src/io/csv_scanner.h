#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

// What csv.cpp and numeric_csv.cpp share; private to src/io.
namespace assay {

// Walks over the records of a CSV text: see csv.h for the grammar.
class CsvScanner {
 public:
  // Passes over the byte-order mark; throws Error when it is UTF-16's.
  CsvScanner(std::string_view text, std::string where);

  bool done() const { return rest_.empty(); }
  Index line() const { return line_; }             // of the next record, from 1
  std::string_view rest() const { return rest_; }  // what is still to be read

  // The fields of the next record; not to be called when done. Throws Error.
  std::vector<std::string> next();

 private:
  std::string quoted_field();
  std::string plain_field();

  std::string_view rest_;
  std::string where_;
  Index line_ = 1;
};

bool all_numbers(const std::vector<std::string>& fields);

}  // namespace assay
