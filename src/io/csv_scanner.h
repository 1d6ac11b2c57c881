#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

// What the readers of CSV files share: tables, numbers and labels.
namespace assay {

// Walks over the records of a CSV text: see csv.h for the grammar.
class CsvScanner {
 public:
  // Passes over the byte-order mark; throws Error when it is UTF-16's.
  CsvScanner(std::string_view text, std::string where);

  bool done() const { return rest_.empty(); }
  Index line() const { return line_; }             // of the next record, from 1
  std::string_view rest() const { return rest_; }  // what is still to be read

  // The fields of the next record; not to be called when done. Throws Error, also when the record
  // alone would take more than reading_limit().
  std::vector<std::string> next();

  // One field of it, and whether others follow in the same record.
  struct Field {
    std::string text;
    bool last = false;
  };
  Field next_field();

 private:
  std::string quoted_field();
  std::string plain_field();

  std::string_view rest_;
  std::string where_;
  Index line_ = 1;
};

bool all_numbers(const std::vector<std::string>& fields);

}  // namespace assay
