// Measures what the networks of the demo are worth: fine-tunes each of them for each question.
//
//   sprites_truth HUB DATA DIRECTORY
//
// writes DIRECTORY/QUESTION_truth.csv as `assay evaluate` reads them, then DIRECTORY/truth.txt, all
// of them as one table for people.

#include <fmt/format.h>

#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay/thread_pool.h"
#include "io/atomic_file.h"
#include "report/table.h"
#include "tune.h"
#include "write_questions.h"

namespace sprites {
namespace {

namespace fs = std::filesystem;
using assay::Index;

constexpr Index kEpochs = 10;
constexpr std::uint64_t kFirstSeed = 3001;

struct HubEntry {
  std::string name;
  Index params = 0;
  std::string torchscript;
};

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::vector<HubEntry> entries_of(const fs::path& hub) {
  std::vector<HubEntry> entries;
  for (const auto& entry : nlohmann::json::parse(contents_of(hub / "hub.json"))) {
    entries.push_back(
        {entry.at("name"), entry.at("params"), contents_of(hub / std::string(entry.at("file")))});
  }
  return entries;
}

// values[q][m]: what network m is worth for question q.
using Worth = std::array<std::vector<double>, kQuestions.size()>;

Worth measure(const std::vector<HubEntry>& entries, const std::vector<assay::ImageData>& data) {
  const auto networks = static_cast<Index>(entries.size());
  const Index tasks = networks * static_cast<Index>(data.size());
  Worth worth;
  for (auto& values : worth) values.resize(entries.size());
  assay::ThreadPool pool(0);
  std::mutex mutex;
  Index done = 0;
  pool.run(tasks, [&](Index task) {
    const auto question = static_cast<std::size_t>(task / networks);
    const auto network = static_cast<std::size_t>(task % networks);
    worth[question][network] = fine_tuned(entries[network].torchscript, data[question], kEpochs,
                                          kFirstSeed + static_cast<std::uint64_t>(task));
    const std::lock_guard lock(mutex);
    fmt::print(stderr, "\rfine-tuning {} of {}", ++done, tasks);
  });
  fmt::print(stderr, "\n");
  return worth;
}

std::string csv_of(const std::vector<HubEntry>& entries, const std::vector<double>& values,
                   bool classes) {
  std::string csv = fmt::format("name,{},params\n", classes ? "accuracy" : "r2");
  for (std::size_t i = 0; i < entries.size(); ++i)
    csv += fmt::format("{},{:.4f},{}\n", entries[i].name, values[i], entries[i].params);
  return csv;
}

std::string table_of(const std::vector<HubEntry>& entries, const Worth& worth) {
  assay::TextTable table;
  table.add_column("network", assay::Align::left);
  for (const Question& question : kQuestions)
    table.add_column(fmt::format("{} {}", question.name, question.classes ? "(accuracy)" : "(R²)"),
                     assay::Align::right);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::string> cells = {entries[i].name};
    for (const auto& values : worth) cells.push_back(fmt::format("{:.3f}", values[i]));
    table.add_row(std::move(cells));
  }
  return table.str();
}

void make_truth(const fs::path& hub, const fs::path& data_folder, const fs::path& directory) {
  fs::create_directories(directory);
  const std::vector<HubEntry> entries = entries_of(hub);
  std::vector<assay::ImageData> data;
  for (const Question& question : kQuestions)
    data.push_back(assay::open_image_data(data_folder / question.name));
  const Worth worth = measure(entries, data);
  for (std::size_t i = 0; i < kQuestions.size(); ++i) {
    assay::write_file_atomically(directory / fmt::format("{}_truth.csv", kQuestions[i].name),
                                 {csv_of(entries, worth[i], kQuestions[i].classes)});
  }
  assay::write_file_atomically(
      directory / "truth.txt",
      {fmt::format(
           "fine-tuned for {} epochs on the training images, measured on the test images\n\n",
           kEpochs),
       table_of(entries, worth)});
}

}  // namespace
}  // namespace sprites

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: sprites_truth HUB DATA DIRECTORY\n");
    return 2;
  }
  try {
    sprites::make_truth(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sprites_truth: error: {}\n", error.what());
    return 2;
  }
  return 0;
}
