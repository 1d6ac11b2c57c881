#include <optional>

#include "arrays.h"
#include "assay/digest.h"
#include "bindings.h"
#include "extract/feature_cache.h"

namespace assay::python {

namespace py = pybind11;

namespace {

void update(Digest& digest, const py::buffer& bytes) {
  const py::buffer_info found = bytes.request();
  digest.update({static_cast<const std::byte*>(found.ptr),
                 static_cast<std::size_t>(found.size * found.itemsize)});
}

// The same entries that the command keeps: it lists and prunes them.
CacheEntry entry_of(const std::string& folder, const py::dict& key) {
  const std::filesystem::path cache =
      folder.empty() ? default_cache_folder() : std::filesystem::path(folder);
  return {cache,
          {.model = key["model"].cast<std::string>(),
           .dataset = key["dataset"].cast<std::string>(),
           .weights = key["weights"].cast<std::string>(),
           .preprocessing = key["preprocessing"].cast<std::string>(),
           .images = key["data"].cast<std::string>(),
           .count = key["count"].cast<Index>()}};
}

// Rows and columns of a shard whose digest is right; None where it is missing or damaged.
std::optional<std::pair<Index, Index>> sound(const CacheEntry& entry, const std::string& output,
                                             Index shard) {
  const ShardCheck check = check_shard(entry.shard_file(output, shard));
  if (check.state != ShardState::sound) return {};
  return std::pair(check.rows, check.columns);
}

void write(const CacheEntry& entry, const std::string& output, Index shard,
           const py::array_t<float, py::array::c_style>& rows) {
  write_shard(entry.shard_file(output, shard), {rows.data(), static_cast<std::size_t>(rows.size())},
              rows.shape(1));
}

}  // namespace

void bind_cache(py::module_& module) {
  py::class_<Digest>(module, "Digest")
      .def(py::init<>())
      .def("update", &update)
      .def("hex", &Digest::hex);
  module.def("file_digest", [](const std::string& path) { return file_digest(path); });
  py::class_<FileLock>(module, "FileLock");
  py::class_<CacheEntry>(module, "CacheEntry")
      .def(py::init(&entry_of))
      .def_property_readonly("folder", [](const CacheEntry& e) { return e.folder().string(); })
      .def_property_readonly("shards", &CacheEntry::shards)
      .def("first", &CacheEntry::first_image)
      .def("count", &CacheEntry::images_in)
      .def("file", [](const CacheEntry& e, const std::string& output,
                      Index shard) { return e.shard_file(output, shard).string(); })
      .def("sound", &sound)
      .def("write", &write)
      .def("lock", &CacheEntry::lock, py::call_guard<py::gil_scoped_release>())
      .def("outputs", &CacheEntry::outputs)
      .def("keep_outputs", &CacheEntry::keep_outputs);
}

}  // namespace assay::python
