#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "assay/error.h"
#include "core/memory.h"
#include "io/hdf5_messages.h"
#include "io/hdf5_sandbox.h"
#include "io/hdf5_source.h"
#include "io/hdf5_worker.h"

namespace assay {
namespace {

using hdf5::Answer;
using hdf5::Question;
using hdf5::Request;

constexpr const char* kOpenFile = "/dev/fd/3";  // kFileDescriptor, by a name the library can open

std::string packed(const std::vector<std::string>& names) {
  hdf5::Packer out;
  out.number(std::ssize(names));
  for (const std::string& name : names) out.text(name);
  return out.bytes();
}

std::string packed(ElementType type, Index item_size, const std::vector<Index>& shape) {
  hdf5::Packer out;
  out.number(static_cast<std::int64_t>(type));
  out.number(item_size);
  out.number(std::ssize(shape));
  for (const Index extent : shape) out.number(extent);
  return out.bytes();
}

std::string answer_to(const Request& request, const std::string& name, Hdf5Source& file) {
  switch (request.question) {
    case Question::names:
      return packed(file.names());
    case Question::shape: {
      const Hdf5Shape found = file.shape(name);
      return packed(found.type, 0, found.shape);
    }
    case Question::read: {
      const Array array = file.read(name);
      std::string out = packed(array.type, array.item_size, array.shape);
      out.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
      return out;
    }
    case Question::rows: {
      const auto as = static_cast<ElementType>(request.as);
      const Index size =
          checked_byte_size(element_size(as), {request.end - request.begin, request.cols});
      require_readable(size, name, "in one block of rows");
      std::string out(static_cast<std::size_t>(size), '\0');
      file.read_rows({name, request.begin, request.end, request.cols, as}, out.data());
      return out;
    }
  }
  fail_input("the HDF5 worker does not know this question");
}

bool send_answer(const Answer& answer, std::string_view body) {
  return hdf5::send_bytes(hdf5::kSocketDescriptor, &answer, sizeof answer) &&
         hdf5::send_bytes(hdf5::kSocketDescriptor, body.data(), body.size());
}

bool send_failure(const Error& error) {
  const std::string_view message = error.what();
  return send_answer({1, static_cast<std::uint32_t>(error.code()), message.size()}, message);
}

// Keeps the reason when the file cannot be opened: it is the answer to every question.
struct ServedFile {
  std::unique_ptr<Hdf5Source> source;
  std::optional<Error> problem;

  explicit ServedFile(const std::string& shown) {
    try {
      source = open_hdf5_here(kOpenFile, shown);
    } catch (const Error& error) {
      problem = error;
    }
  }

  bool answer(const Request& request, const std::string& name) {
    if (problem) return send_failure(*problem);
    try {
      const std::string body = answer_to(request, name, *source);
      return send_answer({0, 0, body.size()}, body);
    } catch (const Error& error) {
      return send_failure(error);
    } catch (const std::bad_alloc&) {
      return send_failure(
          {ErrorCode::too_large, fmt::format("{}: needs more memory than `memory_limit`", name)});
    }
  }
};

}  // namespace

int serve_hdf5(const char* shown_file, const char* memory_limit) {
  constexpr std::uint32_t longest_name = 1 << 20;
  constexpr Index for_the_program = Index{1}
                                    << 30;  // its code and libraries: addresses, not memory
  const Index limit = parse_bytes(memory_limit);
  limit_reading(limit);
  if (limit < std::numeric_limits<Index>::max() / 4)
    hdf5::lay_down_limits(2 * limit + for_the_program);  // an array, and the answer that holds it
  ServedFile file{shown_file};
  hdf5::lay_down_system_calls();
  Request request;
  while (hdf5::receive_bytes(hdf5::kSocketDescriptor, &request, sizeof request)) {
    if (request.name_size > longest_name) return 1;
    std::string name(request.name_size, '\0');
    if (!hdf5::receive_bytes(hdf5::kSocketDescriptor, name.data(), name.size())) return 1;
    if (!file.answer(request, name)) return 1;
  }
  return 0;
}

}  // namespace assay
