// What a worker that its file has taken over could say to the process that asks it.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <span>
#include <stdexcept>
#include <string>

#include "assay/targets.h"
#include "guarded.h"
#include "io/hdf5_asked.h"
#include "targets.h"

namespace assay::fuzz {
namespace {

// A line on which all of it has been said, and then hung up.
class SaidBefore {
 public:
  explicit SaidBefore(Bytes bytes) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
      throw std::runtime_error("no sockets to fuzz with");
    // More than the line holds would wait for a reader, which comes only after us.
    static_cast<void>(::send(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    ::shutdown(ends_[1], SHUT_WR);
  }
  ~SaidBefore() {
    for (const int end : ends_) ::close(end);
  }
  SaidBefore(const SaidBefore&) = delete;
  SaidBefore& operator=(const SaidBefore&) = delete;
  SaidBefore(SaidBefore&&) = delete;
  SaidBefore& operator=(SaidBefore&&) = delete;

  int line() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

}  // namespace

// The first byte chooses the question, the others are the answer.
void hdf5_answers(Bytes bytes) {
  if (bytes.empty()) return;
  const SaidBefore said(bytes.subspan(1));
  hdf5::AskedSource source(said.line(), {"a.h5", [](int) {}, [] { return "hung up"; }});
  read_or_refuse([&] {
    switch (std::to_integer<int>(bytes[0]) % 4) {
      case 0:
        source.names();
        break;
      case 1:
        source.shape("x");
        break;
      case 2:
        targets_of_array(source.read("x"));  // looks at every element
        break;
      default:
        std::array<float, 6> out{};
        source.read_rows({"x", 0, 2, 3, ElementType::f32}, out.data());
    }
  });
}

}  // namespace assay::fuzz
