#include "io/hdf5_asked.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>

#include "assay/error.h"
#include "core/memory.h"

namespace assay::hdf5 {
namespace {

// Bytes of one number; 0 for text, whose width the file decides.
Index size_of_number(ElementType type) {
  switch (type) {
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::boolean:
      return 1;
    case ElementType::f16:
    case ElementType::i16:
    case ElementType::u16:
      return 2;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32:
      return 4;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64:
      return 8;
    case ElementType::ucs4:
    case ElementType::bytes:
      break;
  }
  return 0;
}

Array array_of(Unpacker& answer) {
  Array out;
  const std::int64_t type = answer.number();
  if (type < 0 || type > static_cast<std::int64_t>(ElementType::bytes))
    fail_input("an answer of the HDF5 worker makes no sense");
  out.type = static_cast<ElementType>(type);
  out.item_size = answer.number();
  for (std::int64_t left = answer.number(); left > 0; --left) out.shape.push_back(answer.number());
  return out;
}

}  // namespace

std::vector<std::string> AskedSource::names() {
  const std::string body = ask({.question = Question::names}, "");
  Unpacker answer(body);
  std::vector<std::string> out;
  for (std::int64_t left = answer.number(); left > 0; --left) out.push_back(answer.text());
  return out;
}

Hdf5Shape AskedSource::shape(const std::string& name) {
  const std::string body = ask({.question = Question::shape}, name);
  Unpacker answer(body);
  const Array found = array_of(answer);
  if (checked_byte_size(8, found.shape) < 0) fail_nonsense();
  return {found.type, found.shape};
}

Array AskedSource::read(const std::string& name) {
  const std::string body = ask({.question = Question::read}, name);
  Unpacker answer(body);
  Array array = array_of(answer);
  const auto bytes = std::as_bytes(std::span(answer.rest()));
  // Another width than the type's would make whoever looks at an element look beyond the bytes.
  const Index width = size_of_number(array.type);
  const bool fits = width == 0 ? array.type == ElementType::bytes && array.item_size > 0
                               : array.item_size == width;
  if (!fits || checked_byte_size(array.item_size, array.shape) != std::ssize(bytes))
    fail_nonsense();
  array.where = fmt::format("{}:{}", peer_.file, name);
  array.buffer = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  array.bytes = *array.buffer;
  return array;
}

void AskedSource::read_rows(const Slice& slice, void* out) {
  const std::lock_guard lock(mutex_);
  const Answer answer = send({.question = Question::rows,
                              .begin = slice.begin,
                              .end = slice.end,
                              .cols = slice.cols,
                              .as = static_cast<std::uint32_t>(slice.as)},
                             slice.name);
  const Index expected = (slice.end - slice.begin) * slice.cols * element_size(slice.as);
  if (answer.size != static_cast<std::uint64_t>(expected)) fail_nonsense();
  receive(out, answer.size);
}

std::string AskedSource::ask(const Request& request, const std::string& name) {
  const std::lock_guard lock(mutex_);
  return body_of(send(request, name));
}

// The answer's head; an Error of the other end is thrown here.
Answer AskedSource::send(Request request, const std::string& name) {
  request.name_size = static_cast<std::uint32_t>(name.size());
  if (!send_bytes(socket_, &request, sizeof request) ||
      !send_bytes(socket_, name.data(), name.size()))
    fail_gone();
  Answer answer;
  receive(&answer, sizeof answer);
  if (answer.failed == 0) return answer;
  const std::string message = body_of(answer);
  throw Error(answer.code <= static_cast<std::uint32_t>(ErrorCode::too_large)
                  ? static_cast<ErrorCode>(answer.code)
                  : ErrorCode::bad_input,
              message);
}

std::string AskedSource::body_of(const Answer& answer) {
  constexpr std::uint64_t for_names = 1 << 20;
  if (answer.size > static_cast<std::uint64_t>(reading_limit()) + for_names) fail_nonsense();
  std::string body(answer.size, '\0');
  receive(body.data(), body.size());
  return body;
}

void AskedSource::receive(void* out, std::size_t size) {
  constexpr int a_second = 1000;
  auto* at = static_cast<char*>(out);
  for (int silent = 0; size > 0;) {
    pollfd line = {socket_, POLLIN, 0};
    const int ready = ::poll(&line, 1, a_second);
    if (ready == 0) peer_.still_silent(++silent);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::recv(socket_, at, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (ready < 0 || got <= 0) fail_gone();
    at += got;
    size -= static_cast<std::size_t>(got);
    silent = 0;
  }
}

void AskedSource::fail_gone() const { fail_input(peer_.why_gone()); }

void AskedSource::fail_nonsense() const {
  fail_input(
      fmt::format("{}: the process that reads it gave no sensible answer; the file is "
                  "damaged, or made to do harm",
                  peer_.file));
}

}  // namespace assay::hdf5
