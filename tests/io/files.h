#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "assay/array.h"
#include "assay/error.h"

// Small files for tests of readers, written byte by byte.
namespace assay::test {

// Directories to remove when the tests of this process are over.
class ScratchFolders {
 public:
  ~ScratchFolders() {
    std::error_code ignored;
    for (const std::filesystem::path& folder : folders_)
      std::filesystem::remove_all(folder, ignored);
  }
  void add(const std::filesystem::path& folder) {
    if (std::filesystem::create_directories(folder)) folders_.push_back(folder);
  }

 private:
  std::vector<std::filesystem::path> folders_;
};

// A path in a directory of the running test's own.
inline std::filesystem::path scratch(const std::string& name) {
  static ScratchFolders folders;
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      ("assay_" + std::to_string(::getpid()) + "_" + test->test_suite_name() + "_" + test->name());
  folders.add(folder);
  return folder / name;
}

inline std::filesystem::path write_file(const std::string& name, std::string_view bytes) {
  const std::filesystem::path path = scratch(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A .npy image with the header written out: npy("'<f4'", "(2, 3)", bytes).
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       int version = 1, const std::string& fortran = "False") {
  const std::string header =
      "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  const auto length = static_cast<std::uint32_t>(header.size());
  std::string image = "\x93NUMPY";
  image += {static_cast<char>(version), '\0'};
  image.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return image + header + data;
}

inline std::vector<double> numbers(const Array& array) {
  std::vector<double> values;
  for (Index i = 0; i < array.size(); ++i) values.push_back(number_at(array, i));
  return values;
}

// The message of the Error that `action` throws; "" when it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Passes when `text` contains `part`; shows both when not.
inline testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

}  // namespace assay::test
