#include <fmt/format.h>

#include <memory>

#include "assay/error.h"
#include "common.h"
#include "core/memory.h"
#include "core/text.h"
#include "extract/extract_report.h"
#include "extract/feature_cache.h"
#include "report/screen.h"

namespace assay::cli {
namespace {

struct PruneArgs {
  std::string older_than;
  std::string max_size;
  bool all = false;
  bool dry_run = false;
};

double total_bytes(const std::vector<CachedEntry>& entries) {
  double bytes = 0.0;
  for (const CachedEntry& entry : entries) bytes += entry.bytes;
  return bytes;
}

Exit run_list(const GlobalOptions& global) {
  const std::filesystem::path cache = default_cache_folder();
  const std::vector<CachedEntry> entries = list_cache(cache);
  if (!global.json_on_stdout()) {
    if (!entries.empty()) show("{}\n", cache_table(entries, stdout_screen()));
    show("{} entries, {}, in {}\n", entries.size(), human_bytes(total_bytes(entries)),
         cache.string());
  }
  write_json(global, {{"command", "cache list"},
                      {"folder", cache.string()},
                      {"bytes", static_cast<Index>(total_bytes(entries))},
                      {"entries", cache_json(entries)},
                      {"provenance", provenance_of(global, 1, 0.0, {})}});
  return Exit::done;
}

PruneRules rules_of(const PruneArgs& args) {
  PruneRules rules;
  if (!args.older_than.empty()) rules.older_than_days = parse_age(args.older_than);
  if (!args.max_size.empty()) rules.most_bytes = static_cast<double>(parse_bytes(args.max_size));
  rules.all = args.all;
  rules.dry_run = args.dry_run;
  if (rules.older_than_days || rules.most_bytes || rules.all) return rules;
  fail_input("say what to remove: --older-than 30d, --max-size 10GiB or --all");
}

Exit run_prune(const PruneArgs& args, const GlobalOptions& global) {
  const std::filesystem::path cache = default_cache_folder();
  const Pruned pruned = prune_cache(cache, rules_of(args));
  if (!global.json_on_stdout()) {
    if (!pruned.removed.empty()) show("{}\n", cache_table(pruned.removed, stdout_screen()));
    show("{} {} entries, {}; {} left in {}\n", args.dry_run ? "would remove" : "removed",
         pruned.removed.size(), human_bytes(total_bytes(pruned.removed)),
         human_bytes(pruned.bytes_left), cache.string());
    std::fflush(stdout);
  }
  for (const CachedEntry& entry : pruned.busy)
    warn(global, fmt::format("note: kept {} on {}: another process is working on it", entry.model,
                             entry.dataset));
  write_json(global, {{"command", "cache prune"},
                      {"folder", cache.string()},
                      {"dry_run", args.dry_run},
                      {"removed", cache_json(pruned.removed)},
                      {"busy", cache_json(pruned.busy)},
                      {"bytes_left", static_cast<Index>(pruned.bytes_left)},
                      {"provenance", provenance_of(global, 1, 0.0, {})}});
  return Exit::done;
}

}  // namespace

void add_cache(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* cmd = app.add_subcommand("cache", "look after cached features");
  cmd->require_subcommand(1);
  cmd->fallthrough();
  const std::string example =
      "Examples:\n"
      "  assay cache list\n"
      "  assay cache prune --older-than 30d --max-size 10GiB --dry-run\n"
      "The cache is $ASSAY_CACHE, else ~/.cache/assay.";
  cmd->footer(example);
  CLI::App* list = cmd->add_subcommand("list", "what is there, the most recently used first");
  list->footer(example);
  list->callback([&global, &run] { run = [&global] { return run_list(global); }; });
  auto args = std::make_shared<PruneArgs>();
  CLI::App* prune = cmd->add_subcommand("prune", "remove entries, the least recently used first");
  prune->add_option("--older-than", args->older_than, "not used for this long, e.g. 30d, 12h, 2w")
      ->type_name("AGE");
  prune->add_option("--max-size", args->max_size, "until no more than this is left, e.g. 10GiB")
      ->type_name("SIZE");
  prune->add_flag("--all", args->all, "everything");
  prune->add_flag("--dry-run", args->dry_run, "show what would be removed, and keep it");
  prune->footer(example);
  prune->callback(
      [args, &global, &run] { run = [args, &global] { return run_prune(*args, global); }; });
}

}  // namespace assay::cli
