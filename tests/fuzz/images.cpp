#include "guarded.h"
#include "images/decode.h"
#include "targets.h"

namespace assay::fuzz {

void image(Bytes bytes) {
  read_or_refuse([&] { decode_image(bytes, "image"); });
}

}  // namespace assay::fuzz
