// Closed forms against probes, one dot per model (the paper's Figure 4).
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { amount, fixed, isNumber } from "../format";
import { pointLabels } from "../labels";
import { drawn, kDot, padded, tipOptions } from "../plot";
import { ink } from "../theme";
import type { ProbeResult, ProbedModel } from "../types";

interface Pair {
  key: string; // of the correlation in the JSON
  label: string;
  x: (m: ProbedModel) => number;
  y: (m: ProbedModel) => number;
  xLabel: string;
  yLabel: string;
}

const taskVariance = (m: ProbedModel): number => m.task_variance ?? m.variance;

const kPairs: Pair[] = [
  {
    key: "mean_probe_r2",
    label: "mean accuracy and probe R\u00b2",
    x: (m) => m.probe_r2!.value,
    y: (m) => m.mean,
    xLabel: "probe R\u00b2",
    yLabel: "mean held-out accuracy",
  },
  {
    key: "mean",
    label: "mean accuracy and E Tr(MG)",
    x: (m) => m.expectation!,
    y: (m) => m.mean,
    xLabel: "E Tr(MG)",
    yLabel: "mean held-out accuracy",
  },
  {
    key: "variance",
    label: "variance over tasks and Var Tr(MG)",
    x: (m) => m.expectation_variance!,
    y: taskVariance,
    xLabel: "Var Tr(MG)",
    yLabel: "variance over tasks",
  },
];

export function priorPairs(result: ProbeResult): ChartSpec | null {
  const models = result.models.filter((m) => isNumber(m.expectation) && m.probe_r2);
  if (models.length < 2) return null;
  const state = { key: kPairs[0]!.key };
  const pair = (): Pair => kPairs.find((p) => p.key === state.key)!;
  const agreement = (): string => {
    const c = result.correlation?.[state.key];
    if (!c || !isNumber(c.spearman)) return "";
    const interval = isNumber(c.spearman_low) ? ` [${fixed(c.spearman_low, 2)}, ${fixed(c.spearman_high, 2)}]` : "";
    return `Spearman ${fixed(c.spearman, 2)}${interval} over ${c.models} models`;
  };
  const points = () => models.map((m) => ({ name: m.name, x: pair().x(m), y: pair().y(m), own: m.own_prior === true }));
  return {
    name: "prior-pairs",
    title: "Closed forms against probes",
    wide: true,
    reading:
      "Each dot is a model: what was said of it without training anything (right) against what its probes reached on the sampled tasks (up). The hollow dot is the prior\u2019s own model, which the correlation leaves out.",
    alt: () => `Scatter of ${models.length} models: ${pair().label}. ${agreement()}`,
    draw: (width) => {
      const rows = points();
      return drawn({
        width,
        height: Math.min(440, Math.max(300, 0.55 * width)),
        marginLeft: 64,
        marginRight: 20,
        marginBottom: 46,
        x: {
          label: pair().xLabel,
          domain: padded(
            rows.map((r) => r.x),
            0.08,
            false,
          ),
          grid: true,
          labelArrow: "none",
          labelOffset: 40,
          labelAnchor: "center",
        },
        y: {
          label: `${pair().yLabel}; ${agreement()}`,
          domain: padded(
            rows.map((r) => r.y),
            0.08,
            false,
          ),
          grid: true,
          labelArrow: "none",
        },
        marks: [
          Plot.dot(rows, {
            x: "x",
            y: "y",
            r: kDot,
            fill: (r: { own: boolean }) => (r.own ? ink.paper : ink.accent),
            stroke: ink.accent,
          }),
          pointLabels(rows.map((r) => ({ x: r.x, y: r.y, text: r.name, color: ink.soft }))),
          Plot.tip(
            rows,
            Plot.pointer({
              x: "x",
              y: "y",
              title: (r: { name: string; x: number; y: number }) =>
                `${r.name}\n${pair().xLabel} ${amount(r.x)}\n${pair().yLabel} ${amount(r.y)}`,
              ...tipOptions,
            }),
          ),
        ],
      });
    },
    controls: (redraw) => [
      choice(
        "Compare",
        kPairs.map((p) => ({ value: p.key, label: p.label })),
        state.key,
        (key) => {
          state.key = key;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["name", pair().xLabel, pair().yLabel],
      rows: points().map((r) => [r.name, r.x, r.y]),
    }),
  };
}
