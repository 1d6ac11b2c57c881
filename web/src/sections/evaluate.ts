import { datasetsChart, qualityChart } from "../charts/quality";
import { truthChart } from "../charts/truth";
import { count, fixed, isNumber, percent } from "../format";
import { type Column, tableSection } from "../table";
import type { EvaluateResult, Quality } from "../types";
import { evaluateVerdict } from "../verdict";
import { type Section, charts, notes, titled } from "./parts";

interface Row extends Quality {
  metric: string;
}

const number = (title: string, key: keyof Quality, digits: number, direction?: string, unit?: string): Column<Row> => ({
  title,
  unit,
  direction,
  value: (r) => r[key] as number,
  show: (r) => fixed(r[key] as number, digits),
});

export function qualityTable(result: EvaluateResult): HTMLElement {
  const rows: Row[] = Object.entries(result.metrics).map(([metric, q]) => ({
    metric: q.static ? `${metric} (static)` : metric,
    ...q,
  }));
  const top1 = (r: Row): string => (typeof r.top1 === "boolean" ? (r.top1 ? "yes" : "no") : percent(r.top1 as number));
  const columns: Column<Row>[] = [
    { title: "metric", text: true, value: (r) => r.metric },
    number("weighted \u03c4", "weighted_kendall", 3, "higher"),
    number("Kendall \u03c4", "kendall", 3, "higher"),
    { title: "pairs right", direction: "higher", value: (r) => r.agreement, show: (r) => percent(r.agreement) },
    number("Pearson", "pearson", 3, "higher"),
    number("Spearman", "spearman", 3, "higher"),
    { title: "top-1", direction: "higher", value: (r) => Number(r.top1), show: top1 },
    number("top-3", "top3", 2, "higher"),
    number("regret@1", "regret1", 4, "lower", result.truth_column),
    number("regret@3", "regret3", 4, "lower", result.truth_column),
    { title: "models", value: (r) => r.models, show: (r) => count(r.models) },
  ];
  return tableSection({
    name: "evaluation",
    caption: "How well each metric predicted the truth",
    columns,
    rows,
    faint: (r) => r.static === true,
  });
}

export function evaluateSection(result: EvaluateResult): Section {
  const sets = Object.entries(result.datasets ?? {});
  const one = sets.length === 1 ? { ...result, ...sets[0]![1] } : result; // the data set knows its models
  const scatters =
    sets.length > 1
      ? sets.slice(0, 12).map(([name, set]) => truthChart({ ...set, truth_column: result.truth_column }, {}, name))
      : [truthChart(one)];
  const unmatched = [
    ...(result.only_in_scores ?? []).map((name) => `${name} has scores but no truth; left out`),
    ...(result.only_in_truth ?? []).map((name) => `${name} has a truth but no scores; left out`),
  ];
  const models = Object.values(result.metrics)
    .map((q) => q.models)
    .filter(isNumber);
  return {
    title: "How good was the advice?",
    verdict: evaluateVerdict(result),
    facts: [
      ["Metrics", count(Object.values(result.metrics).filter((q) => !q.static).length)],
      ["Models", count(Math.max(0, ...models))],
      ["Data sets", count(Math.max(1, sets.length))],
      ["Truth", result.truth_column],
    ],
    body: [
      charts([qualityChart(result), ...scatters, datasetsChart(result)]),
      titled(
        "All measures",
        sets.length > 1 ? "Means over data sets, each counting the same." : "",
        qualityTable(result),
      ),
      notes(result.failed, unmatched),
    ],
  };
}
