#pragma once

// The boundary between the engine and the plug-ins that run networks, in plain C: a plug-in may be
// built by another compiler and drags its 300 libraries in only when a network is run.
//
// A plug-in is a shared library libassay_BACKEND.so with the one symbol `assay_plugin`. Functions
// that can fail return null or non-zero and leave a message, cut to `error_size`, in `error`. No
// exception crosses the boundary.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_PLUGIN_VERSION = 1 };  // grows with every change of what follows

typedef struct AssayPluginRequest {
  const char* file;
  const char* feature_output;  // method or output for "features"; null: the usual one
  const char* logits_output;   // the same for "logits"
  int32_t wants_logits;        // 0: the network has no source classes
} AssayPluginRequest;

typedef struct AssayPluginBatch {
  const float* pixels;  // NCHW
  int64_t count, channels, height, width;
} AssayPluginBatch;

// Gets the output number `position` of those asked for: count x dim values, row-major, valid during
// the call only.
typedef void (*AssayPluginReceive)(void* context, int64_t position, const float* values,
                                   int64_t dim);

typedef struct AssayPlugin {
  int32_t version;      // ASSAY_PLUGIN_VERSION it was built with
  const char* backend;  // "torchscript"
  const char* library;  // "libtorch 1.13.1"

  void* (*open)(const AssayPluginRequest* request, char* error, size_t error_size);
  int64_t (*output_count)(const void* network);
  const char* (*output_name)(const void* network, int64_t output);
  int64_t (*output_dim)(const void* network, int64_t output);  // 0: not known yet

  // Runs on the calling thread; any number of threads may call it at once.
  int32_t (*forward)(void* network, const AssayPluginBatch* batch, const int64_t* outputs,
                     int64_t output_count, AssayPluginReceive receive, void* context, char* error,
                     size_t error_size);
  void (*close)(void* network);
} AssayPlugin;

const AssayPlugin* assay_plugin(void);

#ifdef __cplusplus
}
#endif
