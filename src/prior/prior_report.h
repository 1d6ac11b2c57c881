#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/prior.h"
#include "report/screen.h"

namespace assay {

// `assay prior score`: the table, best first within a prior and temperature (by probe_r2 where it
// was computed, else by expectation), and the JSON of the contract (without provenance).
std::string prior_score_table(const PriorScoreResult& result, Index pairs,
                              const Screen& screen = {});
nlohmann::ordered_json prior_score_json(const PriorScoreResult& result,
                                        const PriorScoreRequest& request);

// `assay prior sample`.
std::string sampled_tasks_table(const SampledTasks& tasks, const SampleTasksRequest& request);
nlohmann::ordered_json sampled_tasks_json(const SampledTasks& tasks,
                                          const SampleTasksRequest& request);

// `assay prior probe`.
std::string probed_tasks_table(const ProbeTasksResult& result, const Screen& screen = {});
nlohmann::ordered_json probed_tasks_json(const ProbeTasksResult& result);
// In words, with the interval over tasks; and the models that the best is not shown to be above, by
// paired tests over the same tasks, together at 95 %.
std::string probed_tasks_verdict(const ProbeTasksResult& result);
std::vector<std::string> not_separable_from_best_probe(const ProbeTasksResult& result);

// What the three share.
nlohmann::ordered_json failures_json(const std::vector<FailedModel>& failed);
std::vector<double> list_of(const Vector& values);

// Names as the command line has them.
std::string_view kernel_name(KernelKind kind);
std::string_view graph_name(Graph graph);

}  // namespace assay
