#pragma once

#include <filesystem>
#include <memory>

namespace assay {

class Hdf5Source;

// libhdf5 crashes on some damaged files. Programs of our own let it do so in a process of its own,
// which may neither open files nor write, start or connect to anything (src/io/hdf5_sandbox.cpp):
// the crash becomes an Error that names the file. Other programs that use this library say with
// read_hdf5_with() (assay/features.h) where the command is, or read .h5 files themselves.

// How long one question may take, in seconds, before the process is ended.
struct Hdf5Patience {
  double computing = 600.0;  // processor time: unpacking 4 GiB takes well below a minute
  double idle = 600.0;       // without any processor time, as behind a disk that is gone
};

// `program` is started as: program --hdf5-worker FILE MEMORY_LIMIT, and must then call
// serve_hdf5() with these two words. Once, before any other thread.
void use_hdf5_worker(const std::filesystem::path& program, Hdf5Patience patience = {});

// The whole life of the worker; returns its exit code.
int serve_hdf5(const char* shown_file, const char* memory_limit);

// A file read by a worker; none when no program was named.
std::shared_ptr<Hdf5Source> open_hdf5_in_worker(const std::filesystem::path& file);

}  // namespace assay
