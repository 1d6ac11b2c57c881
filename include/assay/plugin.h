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

enum { ASSAY_PLUGIN_VERSION = 2 };  // grows with every change of what follows

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

// Takes a piece of a file; pieces follow one another.
typedef void (*AssayPluginTake)(void* context, const char* bytes, size_t size);

// The two kinds of state a network has: what gradients reach, and what forward passes leave behind
// (the running statistics of BatchNorm).
enum { ASSAY_PARAMETERS = 0, ASSAY_BUFFERS = 1 };

// What a forward pass is for, as a sum. TRAINING: BatchNorm uses the batch's statistics and updates
// its own. The others keep what backward needs.
enum { ASSAY_FORWARD_TRAINING = 1, ASSAY_FORWARD_FOR_PARAMETERS = 2, ASSAY_FORWARD_FOR_PIXELS = 4 };

// Where backward leaves gradients; what is null is not computed.
typedef struct AssayPluginGradients {
  float* parameters;  // all of them, one after another
  int8_t* took_part;  // per parameter tensor: 0 = the features do not depend on it
  float* pixels;      // as many as the batch has
} AssayPluginGradients;

typedef struct AssayPluginHead {
  const float* weight;  // outputs x features, row-major
  const float* bias;    // outputs
  int64_t outputs, features;
} AssayPluginHead;

// A network to be trained: features out, gradient of features in. Losses and optimisers are the
// engine's. One thread at a time; several trainers may be at work at once.
typedef struct AssayPluginTrainer {
  // `threads`: of libtorch, for this trainer's passes.
  void* (*open)(const AssayPluginRequest* request, int32_t threads, char* error, size_t error_size);
  int64_t (*tensor_count)(const void* trainer, int32_t kind);
  const char* (*tensor_name)(const void* trainer, int32_t kind, int64_t tensor);
  int64_t (*tensor_size)(const void* trainer, int32_t kind, int64_t tensor);

  // All tensors of a kind, one after another, as floats.
  int32_t (*get)(const void* trainer, int32_t kind, float* values, char* error, size_t error_size);
  int32_t (*set)(void* trainer, int32_t kind, const float* values, char* error, size_t error_size);

  // `receive` gets the features as output 0.
  int32_t (*forward)(void* trainer, const AssayPluginBatch* batch, int32_t purpose,
                     AssayPluginReceive receive, void* context, char* error, size_t error_size);
  // Of the latest forward pass, once; `features` is the loss's gradient with respect to them.
  int32_t (*backward)(void* trainer, const float* features, const AssayPluginGradients* gradients,
                      char* error, size_t error_size);

  // The network as it is now, as a file of its framework: forward(x) gives features, head(f) and
  // logits(x) the outputs of the head. Null `head`: without those two.
  int32_t (*save)(void* trainer, const AssayPluginHead* head, AssayPluginTake take, void* context,
                  char* error, size_t error_size);
  void (*close)(void* trainer);
} AssayPluginTrainer;

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

  const AssayPluginTrainer* trainer;  // null: this backend cannot train
} AssayPlugin;

const AssayPlugin* assay_plugin(void);

#ifdef __cplusplus
}
#endif
