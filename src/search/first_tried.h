#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay {

// A CSV of a name and a number per model (a header names the columns; others than the first two are
// passed over), higher is better. Throws Error naming the row: a number that is none, a name twice.
std::map<std::string, double> read_prior_ranking(const std::filesystem::path& file);

// In which order models are tried: those of the prior from its best to its worst, then the others
// by cost, the cheapest first; equal ones by name.
std::vector<std::size_t> tried_first(const std::vector<std::string>& names,
                                     const std::vector<double>& costs,
                                     const std::map<std::string, double>& prior);

}  // namespace assay
