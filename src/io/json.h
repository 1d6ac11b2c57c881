#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay {

// The one door for JSON from outside. nlohmann's parser takes any depth, but copying and printing
// what it returns recurse, and a value takes up to thirty times its text: so depth and memory are
// judged on the text, before anything is built. Both functions throw Error naming `where`.
inline constexpr int kDeepestJson = 64;  // our own results use 8 levels

nlohmann::json parse_json(std::string_view text, const std::string& where);
nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& where);

// The same for a file.
nlohmann::json read_json(const std::filesystem::path& path);
nlohmann::ordered_json read_ordered_json(const std::filesystem::path& path);

}  // namespace assay
