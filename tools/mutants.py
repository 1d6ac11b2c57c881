#!/usr/bin/env python3
"""Do the tests notice? Puts one small mistake at a time into a copy of a source, compiles the object
it belongs to, links the named test program with it and runs the named tests: they must fail.

    tools/mutants.py [BUILD] [--only N,N...]     exit 1 when a mistake survives

BUILD (default: build) must be configured with Ninja and hold the libraries and test programs; neither
it nor the sources are changed. A mistake that no longer applies is an error: mend the list.
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (source, what it says, the mistake, test program, its filter)
MUTANTS = [
    ("rank/controls.cpp", "dim = std::max(dim, model.dim)", "dim = std::max(dim, Index{1})",
     "rank_tests", "Controls.*"),
    ("rank/controls.cpp", "if (result.draws > 0) average_draws(control);", "", "rank_tests", "Controls.*"),
    ("rank/rank_notes.cpp", "return count < 3;", "return count < 2;", "rank_tests", "RankNotes.*"),
    ("rank/rank_verdict.cpp", "if (winner_against(result, k).separated) continue;",
     "if (!winner_against(result, k).separated) continue;", "rank_tests", "RankVerdict.*:RankReport.*"),
    ("rank/order_models.cpp", "model.pareto = cost->second.latency_ms < fastest;",
     "model.pareto = cost->second.latency_ms > fastest;", "rank_tests", "OrderModels.*"),
    ("rank/order_models.cpp", "metric->direction == Direction::higher_is_better ? 1.0 : -1.0;",
     "metric->direction == Direction::higher_is_better ? -1.0 : 1.0;", "rank_tests", "OrderModels.*"),
    ("rank/score_by_moments.cpp", "std::isnan(fold.columns[c]) ? full.columns[c]",
     "std::isnan(fold.columns[c]) ? 0.0", "rank_tests", "ScoreModel.*"),
    ("rank/hub_settings.cpp", "if (tau <= most) continue;", "if (tau >= most) continue;", "rank_tests",
     "*Setting*"),
    ("rank/metric_selection.cpp", "needed <= request.memory_limit", "needed <= 4 * request.memory_limit",
     "rank_tests", "MetricSelectionTest.*"),
    ("curve/run_probes.cpp", "run_probe(pool_, data, order.first(", "run_probe(pool_, data, order.last(",
     "curve_tests", "CurveProbes.*"),
    ("curve/curve_data.cpp", "standard == Standard::training ? data.train : data.validation",
     "standard == Standard::training ? data.validation : data.train", "curve_tests", "CurveData.*"),
    ("curve/curve_answer.cpp", "std::pair(need.needed->lower_bound, need.needed->rows)",
     "std::pair(need.needed->lower_bound, -need.needed->rows)", "curve_tests", "CurveAnswer.*"),
    ("curve/export_subsets.cpp", "rows.push_back(split.train[static_cast<std::size_t>(position)]);",
     "rows.push_back(position);", "curve_tests", "ExportSubsets.*"),
    ("extract/compute_shards.cpp", "std::exp(value - largest) / sum", "std::exp(value - largest)",
     "extract_tests", "*"),
    ("extract/extract_network.cpp", "check.rows == entry_.images_in(shard) * run_.options.views",
     "check.rows >= 0", "extract_tests", "*"),
    ("tune/tune_summary.cpp", "squares / (count - 1.0)", "squares / count", "tune_tests", "TuneSummary.*"),
    ("tune/search.cpp", "quality(a).better_than(quality(b))", "quality(b).better_than(quality(a))", "tune_tests",
     "Search*"),
    ("metrics/left_out_fit.cpp", "1.0 - k(c, 0)", "1.0", "metrics_tests", "LeftOutFit*"),
    ("tune/teacher_targets.cpp", "std::exp((score - best) / temperature)",
     "std::exp((score - best) * temperature)", "tune_tests", "Teacher*"),
    ("robust/model_scores.cpp", "*best->calibrated - *other->calibrated <= error",
     "*best->calibrated - *other->calibrated <= 0.0", "robust_tests", "BestEpsilon.*"),
    ("robust/synbench_report.cpp", "return quantile * standard_error;", "return standard_error;", "robust_tests",
     "SynbenchReport.*"),
    ("evaluate/probe_truth.cpp", "stratified_split(all.labels, request_.test_share,",
     "stratified_split(all.labels, 1.0 - request_.test_share,", "evaluate_tests", "ProbeTruth.*"),
    ("evaluate/evaluate_report.cpp", 'column.higher_is_better ? "higher" : "lower"',
     'column.higher_is_better ? "lower" : "higher"', "evaluate_tests", "EvaluateReport.*"),
]


def run(command, cwd, **options):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, **options)


def compile_commands(build):
    """Path of a source -> (the unit that holds it, how that is compiled)."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["directory"], entry["file"])
        if "assay.dir" not in entry["command"]:
            continue
        members = [unit]
        if unit.suffix == ".cxx":
            members = [pathlib.Path(path) for path in re.findall(r'#include "([^"]+)"', unit.read_text())]
        for member in members:
            units[member.resolve()] = (unit, entry["command"], entry["directory"])
    return units


def compiled(units, source, text, folder):
    """The object of the unit with `text` in place of the source."""
    unit, command, directory = units[source]
    mutant = folder / source.name
    mutant.write_text(text)
    whole = unit.read_text().replace(f'"{source}"', f'"{mutant}"') if unit.suffix == ".cxx" else f'#include "{mutant}"\n'
    (folder / "unit.cxx").write_text(whole)
    words = shlex.split(command)
    words[words.index("-o") + 1] = str(folder / "unit.o")
    words[words.index("-c") + 1] = str(folder / "unit.cxx")
    done = run([*words, "-O0", "-w"], directory)
    if done.returncode:
        sys.exit(f"{source}: does not compile:\n{done.stderr[:2000]}")
    return folder / "unit.o"


def linked(build, program, unit, folder):
    text = run(["ninja", "-t", "commands", f"tests/{program}"], build).stdout.splitlines()[-1]
    words = shlex.split(text)
    words = words[words.index("&&") + 1:] if words[0] == ":" else words
    words = words[:words.index("&&")] if "&&" in words else words
    words[words.index("-o") + 1] = str(folder / program)
    first = next(i for i, word in enumerate(words) if word.endswith("libassay.a"))
    words.insert(first, str(unit))  # what the archive has of it is not looked at then
    done = run(words, build)
    if done.returncode:
        sys.exit(f"{program}: does not link:\n{done.stderr[:2000]}")
    return folder / program


def verdict(build, units, mutant):
    name, old, new, program, chosen = mutant
    source = ROOT / "src" / name
    text = source.read_text()
    if text.count(old) != 1:
        sys.exit(f"{name}: '{old}' occurs {text.count(old)} times; mend the list")
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        unit = compiled(units, source.resolve(), text.replace(old, new), folder)
        test = linked(build, program, unit, folder)
        chosen = [f"--gtest_filter={chosen}", "--gtest_brief=1"]
        sound = run([build / "tests" / program, *chosen], build / "tests", timeout=600)
        if sound.returncode or re.search(r"\b0 tests", sound.stdout):
            return f"no verdict: without it {program} says\n{sound.stdout[-500:]}"
        try:
            return "killed" if run([test, *chosen], build / "tests", timeout=600).returncode else "SURVIVES"
        except subprocess.TimeoutExpired:
            return "killed (no end)"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--only", help="numbers of the list, from 1")
    args = parser.parse_args()
    build = args.build.resolve()
    units = compile_commands(build)
    wanted = [int(n) for n in args.only.split(",")] if args.only else range(1, len(MUTANTS) + 1)
    killed = 0
    for number in wanted:
        mutant = MUTANTS[number - 1]
        answer = verdict(build, units, mutant)
        killed += answer.startswith("killed")
        print(f"{number:3} {answer:10} {mutant[0]}: {mutant[1]} -> {mutant[2] or '(nothing)'}", flush=True)
    print(f"{killed} of {len(wanted)} killed")
    return killed < len(wanted)


if __name__ == "__main__":
    sys.exit(main())
