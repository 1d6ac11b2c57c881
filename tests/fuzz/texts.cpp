// JSON and tables that people and other programs write.
#include <array>

#include "assay/network.h"
#include "curve/curve_files.h"
#include "curve/epsilons.h"
#include "guarded.h"
#include "report/html_page.h"
#include "targets.h"

namespace assay::fuzz {

void hub_json(Bytes bytes) {
  const std::filesystem::path path = as_file(bytes, "hub.json");
  read_or_refuse([&] { read_hub_json(path); });
}

void report(Bytes bytes) {
  const std::filesystem::path path = as_file(bytes, "result.json");
  read_or_refuse([&] {
    const std::array results = {read_page_result(path)};
    html_page("<script>@ASSAY_RESULTS@</script>", results);
  });
}

void curve(Bytes bytes) {
  for (const LossKind kind : {LossKind::nll, LossKind::zero_one})
    read_or_refuse([&] { parse_curves(text_of(bytes), "curve.csv", kind); });
  const std::filesystem::path path = as_file(bytes, "curve.json");
  read_or_refuse([&] { parse_epsilons("from:" + path.string()); });
  read_or_refuse([&] { parse_epsilons(text_of(bytes)); });
}

}  // namespace assay::fuzz
