#include "io/sealed_json.h"

#include <span>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "core/text.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeal = "digest";

std::string one_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of the very bytes that are stored: what the parser would read alike is not alike.
std::string seal_of(std::string_view body, std::string_view belongs_to) {
  Digest digest;
  digest.update(std::as_bytes(std::span(body)));
  digest.update(std::as_bytes(std::span(belongs_to)));
  return digest.hex();
}

std::string ending_of(std::string_view seal, bool alone) {
  return std::string(alone ? "" : ",") + "\"" + kSeal + "\":\"" + std::string(seal) + "\"}";
}

}  // namespace

std::string sealed_json(Json object, std::string_view belongs_to) {
  object.erase(kSeal);
  std::string body = one_line(object);
  body.pop_back();  // the brace; it comes back behind the seal
  return body + ending_of(seal_of(body, belongs_to), object.empty());
}

std::optional<Json> unsealed_json(std::string_view text, std::string_view belongs_to) {
  text = trim(text);
  const std::string mark = std::string("\"") + kSeal + "\":\"";
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at < 1) return std::nullopt;
  const bool alone = text[at - 1] != ',';
  const std::string_view body = text.substr(0, alone ? at : at - 1);
  if (text.substr(body.size()) != ending_of(seal_of(body, belongs_to), alone)) return std::nullopt;
  try {
    Json object = parse_ordered_json(text, "sealed JSON");
    object.erase(kSeal);
    return object;
  } catch (const Error&) {  // too deep or too large: never ours
    return std::nullopt;
  }
}

void write_sealed_json(const std::filesystem::path& path, Json object) {
  write_file_atomically(path, {sealed_json(std::move(object)), "\n"});
}

std::optional<Json> read_sealed_json(const std::filesystem::path& path) {
  try {
    return unsealed_json(MappedFile::open(path)->text());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace assay
