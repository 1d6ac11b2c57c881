import { agreementChart } from "../charts/agreement";
import { costChart } from "../charts/cost";
import { fixedPointChart } from "../charts/fixed_point";
import { rankingChart } from "../charts/ranking";
import { truthChart } from "../charts/truth";
import { amount, bytes, columnDigits, count, fixed, interval, isNumber, percent, plural } from "../format";
import { type Column, tableSection } from "../table";
import type { MetricInfo, RankModel, RankResult } from "../types";
import { rankVerdict } from "../verdict";
import { accuracySection, kAccuracy } from "./accuracy";
import { qualityTable } from "./evaluate";
import { type Section, charts, notes, titled, withHalf } from "./parts";

type Row = RankModel & { control?: boolean };

function scoreColumn(metric: string, info: MetricInfo, result: RankResult): Column<Row> {
  const level = percent(result.confidence);
  const digits = columnDigits(result.models.map((m) => m.scores?.[metric]?.value));
  const of = (m: Row) => m.scores?.[metric];
  const half = (m: Row): number | null => {
    const s = of(m);
    if (isNumber(s?.low) && isNumber(s?.high)) return 0.5 * (s.high - s.low);
    return isNumber(s?.sd) ? s.sd : null;
  };
  return {
    title: metric,
    unit: info.unit,
    direction: info.direction,
    value: (m) => of(m)?.value,
    show: (m) =>
      withHalf(
        of(m)?.value,
        half(m),
        digits,
        isNumber(of(m)?.low) ? `${level} interval: ${interval(of(m)?.low, of(m)?.high)}` : "",
      ),
    extra: [
      { title: `${metric} low`, value: (m) => of(m)?.low },
      { title: `${metric} high`, value: (m) => of(m)?.high },
    ],
  };
}

// Two digits: it is an extrapolation.
function about(samples: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(samples)) - 1);
  return count(Math.ceil(samples / unit) * unit);
}

function columns(result: RankResult): Column<Row>[] {
  const has = (key: keyof RankModel): boolean => result.models.some((m) => isNumber(m[key] as number));
  const range = (m: Row): string =>
    !isNumber(m.rank_low)
      ? "\u2013"
      : m.rank_low === m.rank_high
        ? String(m.rank_low)
        : `${m.rank_low}\u2013${m.rank_high}`;
  const flags = (m: Row): string =>
    Object.entries(m.scores ?? {})
      .filter(([, s]) => (s.flags ?? []).length > 0)
      .map(([metric, s]) => `${metric}: ${s.flags!.join(", ")}`)
      .join("; ");
  const level = percent(result.confidence);
  const out: Column<Row>[] = [
    { title: "model", text: true, value: (m) => (m.control ? `${m.name} (control)` : m.name) },
    ...(result.metrics[kAccuracy] ? [scoreColumn(kAccuracy, result.metrics[kAccuracy], result)] : []),
    { title: "rank", direction: "lower", value: (m) => m.rank, show: (m) => (m.rank ? String(m.rank) : "\u2013") },
  ];
  if (has("rank_low")) {
    out.push({
      title: "range",
      unit: level,
      value: (m) => m.rank_low,
      show: range,
      hint: `where the rank by ${result.by === "consensus" ? "the consensus" : result.by} lies, each model by itself, at ${level} confidence`,
    });
    out.push({
      title: "tie",
      value: (m) => m.tie_group,
      show: (m) => String(m.tie_group ?? "\u2013"),
      hint: "1: not separable from the winner; 2: not separable from the best of the others, and so on. Models of different groups need not be separable",
    });
  }
  if (result.models.some((m) => m.labels_to_separate !== undefined))
    out.push({
      title: "labels to separate",
      unit: "from the winner",
      value: (m) => m.labels_to_separate,
      show: (m) =>
        isNumber(m.labels_to_separate) ? `\u2248 ${about(m.labels_to_separate)}` : m.labels_to_separate === null ? "none would" : "",
      hint: "labelled samples that would tell the model from the winner it is tied with, if the difference holds",
    });
  if (has("consensus"))
    out.push({
      title: "consensus",
      unit: "mean rank",
      direction: "lower",
      value: (m) => m.consensus,
      show: (m) => fixed(m.consensus, 1),
    });
  for (const [metric, info] of Object.entries(result.metrics)) {
    if (metric !== kAccuracy) out.push(scoreColumn(metric, info, result));
  }
  if (has("latency_ms"))
    out.push({
      title: "latency",
      unit: "ms/image",
      direction: "lower",
      value: (m) => m.latency_ms,
      show: (m) => amount(m.latency_ms),
    });
  if (has("params")) out.push({ title: "parameters", value: (m) => m.params, show: (m) => count(m.params) });
  if (has("size_bytes")) out.push({ title: "size", value: (m) => m.size_bytes, show: (m) => bytes(m.size_bytes) });
  out.push(
    { title: "samples", value: (m) => m.n, show: (m) => count(m.n) },
    { title: "dimension", value: (m) => m.dim, show: (m) => count(m.dim) },
  );
  if (result.models.some((m) => flags(m) !== "")) out.push({ title: "flags", text: true, value: flags });
  return out;
}

// What intervals rest on, one of them.
const kUnits: Record<string, string> = { rows: "row", groups: "group", folds: "fold" };

function facts(result: RankResult): [string, string][] {
  const first = result.models[0];
  const kind = result.targets?.kind === "classes" ? "Classes" : "Targets";
  return [
    ["Models", count(result.models.length)],
    ["Samples", count(result.subsample?.rows ?? first?.n)],
    [kind, count(result.targets?.columns)],
    ...(isNumber(result.guessing?.largest_class)
      ? [["Guessing", `${percent(result.guessing.largest_class, 1)} accurate`] as [string, string]]
      : []),
    ["Metrics", count(Object.keys(result.metrics).length)],
    ["Ordered by", result.by],
    [
      "Intervals",
      result.confidence > 0
        ? `${percent(result.confidence)}, ${plural(result.intervals?.units ?? result.folds ?? 0, kUnits[result.intervals?.from ?? "folds"] ?? "fold")}`
        : result.subsample
          ? plural(result.subsample.draws, "draw")
          : "none",
    ],
  ];
}

export function rankSection(result: RankResult): Section {
  const rows: Row[] = [...result.models, ...(result.controls ?? []).map((c) => ({ ...c, control: true }))];
  const units = Object.fromEntries(Object.entries(result.metrics).map(([m, info]) => [m, info.unit]));
  const half = result.subsample
    ? "\u00b1 is the spread over draws"
    : result.confidence > 0
      ? `\u00b1 is half of a ${percent(result.confidence)} interval`
      : "without intervals";
  const reasons = (result.left_out ?? []).map((one) => `${one.metric} was left out: ${one.reason}`);
  return {
    title: "Which model to use",
    verdict: rankVerdict(result),
    facts: facts(result),
    body: [
      charts([
        rankingChart(result),
        result.agreement && result.agreement.metrics.length > 1 ? agreementChart(result.agreement) : null,
        result.evaluation ? truthChart(result.evaluation, units) : null,
        costChart(result),
        fixedPointChart(result),
      ]),
      titled(
        "All scores",
        `Arrows say which way is better; ${half}. Click a heading to sort.`,
        tableSection({
          name: "ranking",
          caption: "Ranking with all scores",
          columns: columns(result),
          rows,
          faint: (m) => m.control === true,
        }),
      ),
      accuracySection(result),
      result.evaluation
        ? titled("Against the measured truth", "How well each metric predicted it.", qualityTable(result.evaluation))
        : null,
      notes(result.failed, [...(result.notes ?? []), ...reasons]),
    ],
  };
}
