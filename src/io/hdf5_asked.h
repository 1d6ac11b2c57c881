#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "io/hdf5_messages.h"
#include "io/hdf5_source.h"

namespace assay::hdf5 {

// Who answers at the other end of a line, as far as the asking end must know.
struct Peer {
  std::string file;  // as messages call what it reads
  // Called once a second while the next bytes of an answer are awaited, with the number of seconds
  // so far. May end the peer, which then hangs up.
  std::function<void(int seconds)> still_silent;
  std::function<std::string()> why_gone;  // once it has hung up: what to tell the user
};

// An HDF5 file that somebody else reads: questions and answers over a socket, which stays the
// caller's. The answers are not trusted: anything that makes no sense is an Error. One question at
// a time; others wait.
class AskedSource final : public Hdf5Source {
 public:
  AskedSource(int socket, Peer peer) : socket_(socket), peer_(std::move(peer)) {}

  std::vector<std::string> names() override;
  Hdf5Shape shape(const std::string& name) override;
  Array read(const std::string& name) override;
  void read_rows(const Slice& slice, void* out) override;

 private:
  std::string ask(const Request& request, const std::string& name);
  Answer send(Request request, const std::string& name);
  std::string body_of(const Answer& answer);
  void receive(void* out, std::size_t size);
  [[noreturn]] void fail_gone() const;
  [[noreturn]] void fail_nonsense() const;

  int socket_;
  Peer peer_;
  std::mutex mutex_;
};

}  // namespace assay::hdf5
