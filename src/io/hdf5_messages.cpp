#include "io/hdf5_messages.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "assay/error.h"

namespace assay::hdf5 {

bool send_bytes(int socket, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_bytes(int socket, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void Packer::number(std::int64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Packer::text(std::string_view value) {
  number(static_cast<std::int64_t>(value.size()));
  bytes_.append(value);
}

std::string_view Unpacker::take(std::size_t size) {
  if (size > rest_.size()) fail_input("an answer of the HDF5 worker is cut short");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::int64_t Unpacker::number() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::string Unpacker::text() {
  const std::int64_t size = number();
  if (size < 0) fail_input("an answer of the HDF5 worker makes no sense");
  return std::string(take(static_cast<std::size_t>(size)));
}

}  // namespace assay::hdf5
