// What a better score costs: latency, parameters, file size or dimension, with the Pareto front.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { amount, better, bytes, count, isNumber, listed, tick } from "../format";
import { pointLabels } from "../labels";
import { corner, drawn, kDot, logTicks, padded, spansDecades, tipOptions } from "../plot";
import { ink } from "../theme";
import type { RankModel, RankResult } from "../types";

interface Cost {
  label: string;
  of(model: RankModel): number | null | undefined;
  text(value: number): string;
}

const kCosts: Record<string, Cost> = {
  latency: {
    label: "latency (ms per image, one thread)",
    of: (m) => m.latency_ms,
    text: (v) => `${amount(v)} ms/image`,
  },
  params: { label: "parameters", of: (m) => m.params, text: (v) => `${count(v)} parameters` },
  size: {
    label: "file size (MiB)",
    of: (m) => (isNumber(m.size_bytes) ? m.size_bytes / 1048576 : null),
    text: (v) => bytes(v * 1048576),
  },
  dim: { label: "feature dimension", of: (m) => m.dim, text: (v) => `${count(v)} dimensions` },
};

interface Point {
  name: string;
  cost: number;
  score: number;
}

// Those that no other model beats in both.
export function paretoFront(points: Point[], higher: boolean): Point[] {
  const sign = higher ? 1 : -1;
  const front: Point[] = [];
  for (const p of [...points].sort((a, b) => a.cost - b.cost || sign * (b.score - a.score))) {
    const last = front[front.length - 1];
    if (!last || sign * (p.score - last.score) > 0) front.push(p);
  }
  return front;
}

export function costChart(result: RankResult): ChartSpec | null {
  const costs = Object.keys(kCosts).filter(
    (key) => new Set(result.models.map(kCosts[key]!.of).filter(isNumber)).size > 1,
  );
  if (costs.length === 0) return null;
  const scores = [
    ...(result.models.some((m) => isNumber(m.consensus)) ? ["consensus"] : []),
    ...Object.keys(result.metrics),
  ];
  const state = { cost: costs[0]!, score: scores.includes(result.by) ? result.by : scores[0]! };
  const higher = (): boolean => state.score !== "consensus" && result.metrics[state.score]?.direction !== "lower";
  const scoreOf = (m: RankModel): number | null | undefined =>
    state.score === "consensus" ? m.consensus : m.scores?.[state.score]?.value;
  const points = (): Point[] =>
    result.models.flatMap((m) => {
      const [cost, score] = [kCosts[state.cost]!.of(m), scoreOf(m)];
      return isNumber(cost) && isNumber(score) ? [{ name: m.name, cost, score }] : [];
    });

  const draw = (width: number): SVGSVGElement => {
    const list = points();
    const front = paretoFront(list, higher());
    const on = new Set(front.map((p) => p.name));
    const xs = list.map((p) => p.cost);
    const log = spansDecades(xs, 8);
    const x = padded(xs, 0.08, log);
    const unit = state.score === "consensus" ? "mean rank" : result.metrics[state.score]?.unit;
    const steps = [...front, { ...front[front.length - 1]!, cost: x[1] }];
    return drawn({
      width,
      height: Math.min(420, Math.max(280, 0.62 * width)),
      marginLeft: 56,
      marginRight: 16,
      marginBottom: 46,
      x: {
        label: `${kCosts[state.cost]!.label}, lower is better`,
        type: log ? "log" : "linear",
        domain: x,
        grid: true,
        ticks: log ? logTicks(x, 7) : width < 500 ? 4 : 6,
        tickFormat: tick,
        labelArrow: "none",
        labelOffset: 40,
        labelAnchor: "center",
      },
      y: {
        label: `${state.score}${unit ? ` (${unit})` : ""}, ${better(higher() ? "higher" : "lower")}`,
        domain: padded(
          list.map((p) => p.score),
          0.08,
        ),
        reverse: !higher(),
        grid: true,
        ticks: 6,
        labelArrow: "none",
      },
      marks: [
        Plot.line(steps, {
          x: "cost",
          y: "score",
          curve: "step-after",
          stroke: ink.accent,
          strokeWidth: 1.5,
          strokeOpacity: 0.6,
        }),
        Plot.dot(list, {
          x: "cost",
          y: "score",
          r: kDot,
          fill: (p: Point) => (on.has(p.name) ? ink.accent : ink.paper),
          stroke: (p: Point) => (on.has(p.name) ? ink.accent : ink.soft),
          strokeWidth: 1.5,
        }),
        pointLabels(
          [...front]
            .reverse()
            .concat(list.filter((p) => !on.has(p.name)))
            .map((p) => ({
              x: p.cost,
              y: p.score,
              text: p.name,
              above: on.has(p.name),
              color: on.has(p.name) ? ink.accent : ink.soft,
            })),
          "better",
        ),
        corner("better", "top-left"),
        Plot.tip(
          list,
          Plot.pointer({
            x: "cost",
            y: "score",
            title: (p: Point) => `${p.name}\n${state.score} ${amount(p.score)}\n${kCosts[state.cost]!.text(p.cost)}`,
            ...tipOptions,
          }),
        ),
      ],
    });
  };

  return {
    name: "cost",
    title: state.cost === "dim" ? "Score against size" : "Score against cost",
    reading:
      "The line is the Pareto front: no model is both cheaper and better than those on it. Everything below it can be had for less.",
    alt: () =>
      `Scatter of ${points().length} models, ${state.score} against ${kCosts[state.cost]!.label}. On the Pareto front: ${listed(paretoFront(points(), higher()).map((p) => p.name))}.`,
    draw,
    controls: (redraw) => [
      choice(
        "Score",
        scores.map((s) => ({ value: s, label: s })),
        state.score,
        (score) => {
          state.score = score;
          redraw();
        },
      ),
      choice(
        "Cost",
        costs.map((c) => ({ value: c, label: kCosts[c]!.label })),
        state.cost,
        (cost) => {
          state.cost = cost;
          redraw();
        },
      ),
    ],
    data: () => {
      const front = new Set(paretoFront(points(), higher()).map((p) => p.name));
      return {
        columns: ["name", kCosts[state.cost]!.label, state.score, "on front"],
        rows: points().map((p) => [p.name, p.cost, p.score, front.has(p.name)]),
      };
    },
  };
}
