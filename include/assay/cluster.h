#pragma once

// The boundary between the command and the plug-in that speaks MPI, in plain C as that of networks
// (plugin.h): libassay_mpi.so with the one symbol `assay_cluster`. All calls come from one thread.
// Functions that can fail return non-zero and leave a message, cut to `error_size`, in `error`.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_CLUSTER_VERSION = 1 };  // grows with every change of what follows

// Where a process stands among those that one launcher started.
typedef struct AssayClusterPlace {
  int32_t rank, size;
  int32_t local_size;  // processes on this machine
} AssayClusterPlace;

// Gets what one rank sent; the bytes are valid during the call only.
typedef void (*AssayClusterTake)(void* context, int32_t rank, const char* bytes, size_t size);

typedef struct AssayCluster {
  int32_t version;
  const char* library;  // "Open MPI 4.1.4"

  int32_t (*start)(AssayClusterPlace* place, char* error, size_t error_size);
  // Every rank calls it with its own bytes. Rank 0 is handed those of all others, rank by rank, and
  // returns when it has them; the others return when theirs are on the way.
  int32_t (*gather)(const char* bytes, size_t size, AssayClusterTake take, void* context,
                    char* error, size_t error_size);
  // The end: every rank calls it once and returns the code that rank 0 gave. Waits without
  // keeping a processor busy.
  int32_t (*finish)(int32_t code);
  // Ends all ranks with this code, at once.
  void (*abort)(int32_t code);
} AssayCluster;

#ifdef __cplusplus
}
#endif
