#include "io/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "assay/error.h"
#include "io/mapped_file.h"

namespace assay {

std::string sha256_of_file(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  if (EVP_Digest(file->bytes().data(), file->bytes().size(), digest.data(), &size, EVP_sha256(),
                 nullptr) != 1)
    throw Error(ErrorCode::io, path.string() + ": SHA-256 is not available from OpenSSL");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace assay
