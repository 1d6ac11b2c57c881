#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.h"

namespace assay {

// A CSV file whose rows are models: titles distinct and trimmed, a `name` column,
// every name there and there once, or once per data set where there is a `dataset`
// column.
struct ModelTable {
  std::string where;  // the file, for messages
  CsvTable csv;
  std::vector<std::string> names;     // one per row
  std::vector<std::string> datasets;  // one per row; empty without the column

  std::optional<std::size_t> find(std::string_view column) const;
  std::string_view cell(std::size_t row, std::size_t column) const;  // trimmed
};

// The rows of one data set; its name is empty without a `dataset` column.
struct DatasetRows {
  std::string dataset;
  std::vector<std::size_t> rows;
};

// In the order of the file. A table without rows is one data set without rows.
std::vector<DatasetRows> rows_by_dataset(const ModelTable& table);

// Throws Error for what the table gets wrong.
ModelTable model_table(CsvTable csv, const std::string& where);

// The column of that title; throws Error, listing the titles, when there is none.
// `option` is what the user may set to choose another.
std::size_t require_column(const ModelTable& table, const std::string& title,
                           std::string_view option);

// Whether the column has numbers and nothing else beside blanks.
bool is_numeric(const ModelTable& table, std::size_t column);

// Model -> number over the given rows, blanks left out; throws Error on the first
// cell that is neither.
std::map<std::string, double> numbers_of(const ModelTable& table, std::size_t column,
                                         std::span<const std::size_t> rows);

// Model -> text over the given rows, blanks left out.
std::map<std::string, std::string> texts_of(const ModelTable& table, std::size_t column,
                                            std::span<const std::size_t> rows);

}  // namespace assay
