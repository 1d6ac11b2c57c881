// How well each metric predicted the truth; by data set when there are several.
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { fixed, isNumber } from "../format";
import type { EvaluateResult, Quality } from "../types";
import { type DotRow, dotChart } from "./dots";
import { type Cell, heatMap } from "./heat";

const kMeasures: Record<string, string> = {
  weighted_kendall: "weighted \u03c4",
  kendall: "Kendall\u2019s \u03c4",
  pearson: "Pearson",
  spearman: "Spearman",
};
type Measure = "weighted_kendall" | "kendall" | "pearson" | "spearman";

const title = (metric: string, q: Quality): string => (q.static ? `${metric} (static)` : metric);

export function qualityChart(result: EvaluateResult): ChartSpec | null {
  const state = { measure: "weighted_kendall" as Measure };
  // The one interval that the verdict speaks of.
  const rangeOf = (metric: string): Partial<DotRow> =>
    state.measure === "weighted_kendall" && result.best?.metric === metric
      ? { low: result.best.low, high: result.best.high }
      : {};
  const rows = (): DotRow[] =>
    Object.entries(result.metrics)
      .flatMap(([metric, q]) =>
        isNumber(q[state.measure])
          ? [{ name: title(metric, q), value: q[state.measure]!, hollow: q.static, ...rangeOf(metric) }]
          : [],
      )
      .sort((a, b) => b.value - a.value);
  if (rows().length === 0) return null;
  return {
    name: "quality",
    title: "Which metric predicted best?",
    reading:
      "Agreement with the measured truth: 1 is the same order, 0 unrelated. Empty rings are static columns that know nothing of the data: what a metric has to beat. The bar is the 95 % interval of the first, by weighted \u03c4.",
    alt: () =>
      `Dot chart of ${kMeasures[state.measure]} by metric. Best: ${rows()[0]?.name} with ${fixed(rows()[0]?.value, 2)}.`,
    draw: (width) =>
      dotChart(rows(), `${kMeasures[state.measure]} with the truth, higher is better`, width, {
        domain: [Math.min(0, ...rows().map((r) => r.value)) - 0.04, 1.03],
      }),
    controls: (redraw) => [
      choice(
        "Measure",
        Object.entries(kMeasures).map(([value, label]) => ({ value, label })),
        state.measure,
        (m) => {
          state.measure = m as Measure;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["metric", ...Object.keys(kMeasures)],
      rows: Object.entries(result.metrics).map(([metric, q]) => [
        title(metric, q),
        q.weighted_kendall,
        q.kendall,
        q.pearson,
        q.spearman,
      ]),
    }),
  };
}

export function datasetsChart(result: EvaluateResult): ChartSpec | null {
  const sets = Object.entries(result.datasets ?? {});
  if (sets.length < 2) return null;
  const metrics = Object.keys(result.metrics);
  const cells: Cell[] = sets.flatMap(([row, one]) =>
    metrics.map((column) => ({ row, column, value: one.metrics[column]?.weighted_kendall })),
  );
  return {
    name: "datasets",
    title: "Weighted \u03c4 by data set",
    wide: true,
    reading: "Each row is a data set, each column a metric: 1 is perfect agreement with the measured truth.",
    alt: () => `Heat map of weighted tau for ${sets.length} data sets and ${metrics.length} metrics.`,
    draw: (width) =>
      heatMap(
        cells,
        sets.map(([name]) => name),
        metrics,
        width,
      ),
    data: () => ({
      columns: ["data set", ...metrics],
      rows: sets.map(([name, one]) => [name, ...metrics.map((m) => one.metrics[m]?.weighted_kendall)]),
    }),
  };
}
