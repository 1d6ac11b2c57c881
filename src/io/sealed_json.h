#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// JSON objects that we keep for later runs carry a digest of themselves as their last member: a
// flipped bit makes them worthless, never wrong. `belongs_to` is hashed with them but not stored,
// so that an object copied elsewhere is worthless too. Against accidents, not against forgery.

// One line, without its end.
std::string sealed_json(nlohmann::ordered_json object, std::string_view belongs_to = {});

// The object without its digest; nothing for anything that sealed_json() did not write.
std::optional<nlohmann::ordered_json> unsealed_json(std::string_view text,
                                                    std::string_view belongs_to = {});

// The same for a whole file. Reading gives nothing for a file that is missing, unreadable or
// damaged; writing is atomic and throws Error.
void write_sealed_json(const std::filesystem::path& path, nlohmann::ordered_json object);
std::optional<nlohmann::ordered_json> read_sealed_json(const std::filesystem::path& path);

}  // namespace assay
