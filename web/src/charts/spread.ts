// Mean against spread: better is a high mean and a low spread. Of task priors and of probes.
import * as Plot from "@observablehq/plot";
import { amount, tick } from "../format";
import { pointLabels } from "../labels";
import { corner, drawn, kDot, logTicks, padded, spansDecades, tipOptions } from "../plot";
import { ink } from "../theme";

export interface SpreadPoint {
  name: string;
  mean: number;
  spread: number;
  error?: number | null; // of the mean
}

export function spreadChart(points: SpreadPoint[], xLabel: string, yLabel: string, width: number): SVGSVGElement {
  const order = [...points].sort((a, b) => b.mean - a.mean);
  const [xs, ys] = [points.map((p) => p.mean), points.map((p) => p.spread)];
  const [logX, logY] = [spansDecades(xs), spansDecades(ys)];
  const [x, y] = [padded(xs, 0.08, logX), padded(ys, 0.08, logY)];
  const color = (p: SpreadPoint): string => (p.name === order[0]?.name ? ink.accent : ink.text);
  return drawn({
    width,
    height: Math.min(440, Math.max(300, 0.55 * width)),
    marginLeft: 64,
    marginRight: 20,
    marginBottom: 46,
    x: {
      label: `${xLabel}${logX ? " (log scale)" : ""}, higher is better`,
      type: logX ? "log" : "linear",
      domain: x,
      grid: true,
      ticks: logX ? logTicks(x, width < 500 ? 5 : 9) : width < 500 ? 4 : 6,
      tickFormat: logX ? tick : undefined,
      labelArrow: "none",
      labelOffset: 40,
      labelAnchor: "center",
    },
    y: {
      label: `${yLabel}${logY ? " (log scale)" : ""}, lower is better`,
      type: logY ? "log" : "linear",
      domain: y,
      grid: true,
      ticks: logY ? logTicks(y, 7) : 6,
      tickFormat: logY ? tick : undefined,
      labelArrow: "none",
    },
    marks: [
      Plot.ruleY(
        order.filter((p) => p.error),
        {
          y: "spread",
          x1: (p: SpreadPoint) => p.mean - 1.96 * p.error!,
          x2: (p: SpreadPoint) => p.mean + 1.96 * p.error!,
          stroke: color,
          strokeOpacity: 0.4,
          strokeWidth: 3,
        },
      ),
      Plot.dot(order, { x: "mean", y: "spread", r: kDot, fill: color, stroke: ink.paper }),
      pointLabels(
        order.map((p) => ({
          x: p.mean,
          y: p.spread,
          text: p.name,
          color: p.name === order[0]?.name ? ink.accent : ink.soft,
        })),
      ),
      corner("better", "bottom-right"),
      Plot.tip(
        order,
        Plot.pointer({
          x: "mean",
          y: "spread",
          title: (p: SpreadPoint) => `${p.name}\nmean ${amount(p.mean)}\nspread ${amount(p.spread)}`,
          ...tipOptions,
        }),
      ),
    ],
  });
}
