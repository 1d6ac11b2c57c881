#include "run_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "io/npy.h"

namespace assay::test {
namespace {

// Output goes to unnamed files: unlike pipes they never fill up and need no reader.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File unnamed_file() {
  File file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("cannot create a temporary file");
  return file;
}

std::string contents(const File& file) {
  std::rewind(file.get());
  std::string text;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    text.append(buffer, got);
  }
  return text;
}

pid_t spawn(std::vector<std::string> words, const File& out, const File& err) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(err.get()), STDERR_FILENO);
  pid_t process = 0;
  const int status = ::posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::runtime_error(words[0] + ": " + std::strerror(status));
  return process;
}

}  // namespace

CommandResult run_assay(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {ASSAY_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(std::move(words));
}

CommandResult run_program(std::vector<std::string> words) {
  const File out = unnamed_file();
  const File err = unnamed_file();
  const pid_t process = spawn(std::move(words), out, err);
  int status = 0;
  struct rusage used {};
  if (::wait4(process, &status, 0, &used) != process) throw std::runtime_error("wait4 failed");
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, contents(out), contents(err), Index{used.ru_maxrss} * 1024};
}

CommandResult run_assay_until(const std::vector<std::string>& arguments,
                              const std::function<bool()>& enough) {
  std::vector<std::string> words = {ASSAY_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const File out = unnamed_file();
  const File err = unnamed_file();
  const pid_t process = spawn(std::move(words), out, err);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(process, &status, WNOHANG)) == 0 && !enough()) ::usleep(1000);
  if (ended == 0) {
    ::kill(process, SIGKILL);
    ::waitpid(process, &status, 0);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, contents(out), contents(err), 0};
}

nlohmann::json json_of(const CommandResult& result) {
  const nlohmann::json parsed = nlohmann::json::parse(result.out, nullptr, /*exceptions=*/false);
  EXPECT_FALSE(parsed.is_discarded()) << "stdout is not JSON alone:\n" << result.out << result.err;
  return parsed;
}

nlohmann::json lasting(nlohmann::json ranking) {
  ranking.erase("provenance");
  for (const char* list : {"models", "controls"}) {
    for (nlohmann::json& model : ranking[list]) {
      for (nlohmann::json& score : model["scores"]) score.erase("seconds");
    }
  }
  return ranking;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> entries_of(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Matrix hub_features(double spread) {
  return blobs(kClasses, kSamples / kClasses, kDim, spread).features;
}

std::string label_lines(const std::vector<std::string>& class_names) {
  std::string text;
  for (Index i = 0; i < kSamples; ++i) {
    text += class_names[static_cast<std::size_t>(i % kClasses)] + "\n";
  }
  return text;
}

double value_of(const nlohmann::json& model) { return model.at("scores").at("logme").at("value"); }

HubTest::HubTest() {
  std::filesystem::create_directory(hub_);
  write_npy(hub_ / "fair.npy", hub_features(2.0));
  write_npy(hub_ / "good.npy", hub_features(0.5));
  write_npy(hub_ / "poor.npy", hub_features(20.0));
  write_text(labels_, label_lines({"0", "1", "2"}));
}

CommandResult HubTest::rank(const Path& input, const Path& labels, const Words& options) {
  Words words = {"rank", input.string(), "--labels", labels.string()};
  words.insert(words.end(), options.begin(), options.end());
  return run_assay(words);
}

nlohmann::json HubTest::rank_json(const Path& input, const Path& labels, Words options) {
  options.insert(options.end(), {"--json", "-"});
  return json_of(rank(input, labels, options));
}

double HubTest::score(const Path& input, const Path& labels) {
  return value_of(rank_json(input, labels, {"--ci", "0"}).at("models").at(0));
}

}  // namespace assay::test
