import { priorChart } from "../charts/prior";
import { priorMatrix } from "../charts/prior_matrix";
import { priorPairs } from "../charts/prior_pairs";
import { type SpreadPoint, spreadChart } from "../charts/spread";
import { taskMaps } from "../charts/task_maps";
import { amount, count, fixed, isNumber, plain } from "../format";
import { type Column, tableSection } from "../table";
import type { PriorResult, PriorRow, ProbeResult, ProbedModel, SampleResult } from "../types";
import { priorVerdict, probeVerdict, sampleVerdict } from "../verdict";
import { type Section, charts, notes, titled, withHalf } from "./parts";

// What others read off a spectrum; only what some model has.
function labelFree(rows: PriorRow[]): Column<PriorRow>[] {
  const all: Column<PriorRow>[] = [
    { title: "RankMe", direction: "higher", value: (r) => r.rankme ?? null, show: (r) => fixed(r.rankme, 1) },
    { title: "\u03b1-ReQ", value: (r) => r.alpha_req ?? null, show: (r) => fixed(r.alpha_req, 2) },
    { title: "LiDAR", direction: "higher", value: (r) => r.lidar ?? null, show: (r) => fixed(r.lidar, 1) },
  ];
  return all.filter((column) => rows.some((r) => isNumber(column.value(r) as number | null)));
}

export function priorSection(result: PriorResult): Section {
  const perPair = (r: PriorRow): number | null =>
    isNumber(r.expectation_standard_error) ? (1.96 * r.expectation_standard_error) / (r.n * r.n) : null;
  const columns: Column<PriorRow>[] = [
    { title: "model", text: true, value: (r) => r.name },
    { title: "prior", text: true, value: (r) => r.prior ?? "" },
    { title: "temperature", value: (r) => r.temperature, show: (r) => plain(r.temperature) },
    ...(result.models.some((r) => r.probe_r2)
      ? [
          {
            title: "probe R\u00b2",
            direction: "higher" as const,
            value: (r: PriorRow) => r.probe_r2?.value ?? null,
            show: (r: PriorRow) => `${fixed(r.probe_r2?.value)}${r.probe_r2?.clipped ? " (below 0)" : ""}`,
          },
          {
            title: "sd over tasks",
            value: (r: PriorRow) => r.probe_r2?.sd ?? null,
            show: (r: PriorRow) => fixed(r.probe_r2?.sd),
          },
        ]
      : []),
    {
      title: "mean",
      unit: "per pair",
      direction: "higher",
      value: (r) => r.expectation_per_pair,
      show: (r) => withHalf(r.expectation_per_pair, perPair(r)),
    },
    {
      title: "sd",
      unit: "per pair",
      direction: "lower",
      value: (r) => r.sd_per_pair,
      show: (r) => amount(r.sd_per_pair),
    },
    { title: "E Tr(MG)", direction: "higher", value: (r) => r.expectation, show: (r) => amount(r.expectation) },
    { title: "Var Tr(MG)", direction: "lower", value: (r) => r.variance, show: (r) => amount(r.variance) },
    ...labelFree(result.models),
    { title: "samples", value: (r) => r.n, show: (r) => count(r.n) },
    { title: "dimension", value: (r) => r.dim, show: (r) => count(r.dim) },
  ];
  return {
    title: "Over all likely tasks",
    verdict: priorVerdict(result),
    facts: [
      ["Models", count(new Set(result.models.map((r) => r.name)).size)],
      ["Samples", count(result.models[0]?.n)],
      ["Priors", count(new Set(result.models.map((r) => r.prior)).size)],
      ["Temperatures", count(new Set(result.models.map((r) => r.temperature)).size)],
      ["Kernel", result.kernel],
      ["Values", isNumber(result.pairs) ? `${count(result.pairs)} sampled pairs` : "exact"],
    ],
    body: [
      charts([priorChart(result), priorMatrix(result)]),
      titled(
        "All scores",
        isNumber(result.pairs)
          ? "\u00b1 is half of a 95 % interval, from sampling pairs."
          : "Values are exact: every pair of samples was counted.",
        tableSection({ name: "priors", caption: "Scores under task priors", columns, rows: result.models }),
      ),
      notes(result.failed, result.notes ?? []),
    ],
  };
}

// Without what testing on few rows adds.
const taskSd = (m: ProbedModel): number => Math.sqrt(Math.max(0, m.task_variance ?? m.variance));

export function probeSection(result: ProbeResult): Section {
  const points: SpreadPoint[] = result.models.map((m) => ({
    name: m.name,
    mean: m.mean,
    spread: taskSd(m),
  }));
  const half = (m: ProbedModel): number => 1.96 * Math.sqrt(m.variance / Math.max(1, result.tasks));
  const columns: Column<ProbedModel>[] = [
    { title: "model", text: true, value: (m) => m.name },
    { title: "mean accuracy", direction: "higher", value: (m) => m.mean, show: (m) => withHalf(m.mean, half(m), 4) },
    {
      title: "sd over tasks",
      direction: "lower",
      value: taskSd,
      show: (m) => fixed(taskSd(m), 4),
    },
    {
      title: "sd of testing",
      value: (m) => Math.sqrt(m.test_noise ?? 0),
      show: (m) => fixed(Math.sqrt(m.test_noise ?? 0), 4),
    },
    {
      title: "worst 5 %",
      direction: "higher",
      value: (m) => m.worst_5_percent,
      show: (m) => fixed(m.worst_5_percent, 4),
    },
    { title: "dimension", value: (m) => m.dim, show: (m) => count(m.dim) },
  ];
  return {
    title: "Probes on sampled tasks",
    verdict: probeVerdict(result),
    facts: [
      ["Models", count(result.models.length)],
      ["Tasks", count(result.tasks)],
      ["Classes", count(result.classes)],
      ["Samples", count(result.n)],
    ],
    body: [
      charts([
        {
          name: "probes",
          title: "Mean against spread over tasks",
          wide: true,
          reading:
            "Right is a higher held-out accuracy on average over the sampled tasks, down is less variation between them.",
          alt: () => `Scatter of ${points.length} models: mean accuracy against its standard deviation over tasks.`,
          draw: (width) => spreadChart(points, "mean held-out accuracy", "standard deviation over tasks", width),
          data: () => ({ columns: ["name", "mean", "sd"], rows: points.map((p) => [p.name, p.mean, p.spread]) }),
        },
        priorPairs(result),
      ]),
      titled(
        "All models",
        "\u00b1 is half of a 95 % interval over tasks.",
        tableSection({
          name: "probes",
          caption: "Probes on sampled tasks",
          columns,
          rows: [...result.models].sort((a, b) => b.mean - a.mean),
        }),
      ),
      notes(result.failed, []),
    ],
  };
}

export function sampleSection(result: SampleResult): Section {
  return {
    title: "Sampled tasks",
    verdict: sampleVerdict(result),
    facts: [
      ["Tasks", count(result.tasks)],
      ["Classes", count(result.classes)],
      ["Samples", count(result.n)],
      ["Temperature", plain(result.temperature)],
      ["Sampler", result.sampler],
      ["Effective tasks", fixed(result.effective_tasks, 1)],
    ],
    body: [charts([taskMaps(result)])],
  };
}
