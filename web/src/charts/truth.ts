// What a metric said against what was measured.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { amount, better, fixed, isNumber, tick } from "../format";
import { pointLabels } from "../labels";
import { corner, drawn, kDot, logTicks, padded, spansDecades, tipOptions } from "../plot";
import { ink } from "../theme";
import type { EvaluateResult, MeasuredModel } from "../types";

export function truthChart(result: EvaluateResult, units: Record<string, string> = {}, where = ""): ChartSpec | null {
  const models = (result.models ?? []).filter((m) => isNumber(m.truth));
  const metrics = Object.keys(result.metrics).filter(
    (metric) => models.filter((m) => isNumber(m.scores[metric])).length > 1,
  );
  if (metrics.length === 0) return null;
  const state = { metric: metrics.find((m) => m === "consensus") ?? metrics[0]! };
  const points = (): MeasuredModel[] =>
    models
      .filter((m) => isNumber(m.scores[state.metric]))
      .sort((a, b) => (result.truth_direction === "lower" ? a.truth! - b.truth! : b.truth! - a.truth!));
  const direction = (): string => result.metrics[state.metric]?.direction ?? "higher";
  const taus = (): string => {
    const q = result.metrics[state.metric];
    return `\u03c4 = ${fixed(q?.kendall, 2)}, weighted \u03c4 = ${fixed(q?.weighted_kendall, 2)}`;
  };
  const draw = (width: number): SVGSVGElement => {
    const list = points();
    const xs = list.map((m) => m.scores[state.metric]!);
    const log = spansDecades(xs, 100);
    const x = padded(xs, 0.08, log);
    const best = list[0]!;
    const chosen = [...list].sort(
      (a, b) => (direction() === "lower" ? 1 : -1) * (a.scores[state.metric]! - b.scores[state.metric]!),
    )[0]!;
    const color = (m: MeasuredModel): string => (m === chosen ? ink.accent : ink.text);
    return drawn({
      width,
      height: Math.min(420, Math.max(280, 0.62 * width)),
      marginLeft: 56,
      marginRight: 16,
      marginBottom: 46,
      x: {
        label: `${state.metric}${units[state.metric] ? ` (${units[state.metric]})` : ""}, ${better(direction())}`,
        type: log ? "log" : "linear",
        domain: x,
        reverse: direction() === "lower",
        grid: true,
        ticks: log ? logTicks(x, 6) : 6,
        tickFormat: log ? tick : undefined,
        labelArrow: "none",
        labelOffset: 40,
        labelAnchor: "center",
      },
      y: {
        label: `measured ${result.truth_column}${result.truth_direction === "lower" ? ", lower is better" : ""}`,
        domain: padded(
          list.map((m) => m.truth!),
          0.08,
        ),
        reverse: result.truth_direction === "lower",
        grid: true,
        ticks: 6,
        labelArrow: "none",
      },
      marks: [
        Plot.dot(list, {
          x: (m: MeasuredModel) => m.scores[state.metric],
          y: "truth",
          r: kDot,
          fill: color,
          stroke: ink.paper,
        }),
        pointLabels(
          [chosen, best, ...list]
            .filter((m, k, all) => all.indexOf(m) === k)
            .map((m) => ({
              x: m.scores[state.metric]!,
              y: m.truth!,
              text: m.name,
              color: m === chosen ? ink.accent : ink.soft,
            })),
          taus(),
        ),
        corner(taus(), "top-left"),
        Plot.tip(
          list,
          Plot.pointer({
            x: (m: MeasuredModel) => m.scores[state.metric],
            y: "truth",
            title: (m: MeasuredModel) =>
              `${m.name}\n${state.metric} ${amount(m.scores[state.metric])}\n${result.truth_column} ${amount(m.truth)}`,
            ...tipOptions,
          }),
        ),
      ],
    });
  };
  return {
    name: `truth${where ? `-${where}` : ""}`,
    title: where ? `Score against truth: ${where}` : "Score against truth",
    reading:
      "Axes are turned so that better is up and to the right: a metric that predicts well rises. \u03c4 is Kendall\u2019s, 1 when both order the models alike; the weighted one counts the top more. The metric\u2019s choice is coloured.",
    alt: () =>
      `Scatter of ${points().length} models, ${state.metric} against measured ${result.truth_column}. Kendall's tau ${fixed(result.metrics[state.metric]?.kendall, 2)}, weighted ${fixed(result.metrics[state.metric]?.weighted_kendall, 2)}.`,
    draw,
    controls: (redraw) => [
      choice(
        "Metric",
        metrics.map((m) => ({ value: m, label: result.metrics[m]?.static ? `${m} (static)` : m })),
        state.metric,
        (metric) => {
          state.metric = metric;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["name", result.truth_column, ...metrics],
      rows: models.map((m) => [m.name, m.truth, ...metrics.map((k) => m.scores[k])]),
    }),
  };
}
