// Lines of several series, a few of them standing out. Of SynBench and of tuning.
import * as Plot from "@observablehq/plot";
import type { Series } from "../controls";
import { amount, tick } from "../format";
import { endLabels, endMargin } from "../labels";
import { drawn, tipOptions } from "../plot";
import { ink } from "../theme";

export interface LinePoint {
  name: string;
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  run?: string; // lines of one name are told apart by it
  faint?: boolean;
}

export interface LineOptions {
  xLabel: string;
  yLabel: string;
  xTicks?: number[];
  dots?: boolean;
  dashed?: { name: string; points: { x: number; y: number }[] };
  yDomain?: [number, number];
  log?: boolean;
  xLog?: boolean;
  mark?: { x: number; text: string }; // a place on the axis that something else speaks of
}

export function lineChart(points: LinePoint[], series: Series, width: number, options: LineOptions): SVGSVGElement {
  const strong = points.filter((p) => series.color(p.name));
  const color = (p: { name: string }): string => series.color(p.name)!;
  const main = strong.filter((p) => !p.faint);
  const ends = series.names.flatMap((name) => {
    const last = main.filter((p) => p.name === name).pop();
    return last ? [{ x: last.x, y: last.y, text: name, color: series.color(name)! }] : [];
  });
  // The words about a place stand on its left where there is no room on its right.
  const xs = points.map((p) => p.x);
  const late = options.mark !== undefined && options.mark.x > 0.5 * (Math.min(...xs) + Math.max(...xs));
  const reference = options.dashed;
  const last = reference?.points[reference.points.length - 1];
  if (reference && last) ends.push({ x: last.x, y: last.y, text: reference.name, color: ink.soft });
  const z = (p: LinePoint): string => `${p.name}\u0000${p.run ?? ""}`;
  return drawn({
    width,
    height: Math.min(420, Math.max(300, 0.5 * width)),
    marginLeft: 60,
    marginRight: endMargin(
      ends.map((e) => e.text),
      width,
    ),
    marginBottom: 46,
    x: {
      label: options.xLabel,
      grid: true,
      labelArrow: "none",
      labelOffset: 40,
      labelAnchor: "center",
      type: options.xLog ? "log" : "linear",
      ticks: options.xTicks ?? (width < 500 ? 4 : 8),
      tickFormat: options.xTicks ? tick : undefined,
    },
    y: {
      label: options.yLabel,
      grid: true,
      labelArrow: "none",
      domain: options.yDomain,
      type: options.log ? "log" : "linear",
      tickFormat: options.log ? tick : undefined,
      ticks: 6,
    },
    marks: [
      Plot.line(
        points.filter((p) => !series.color(p.name)),
        { x: "x", y: "y", z, stroke: ink.quiet, strokeWidth: 1.25 },
      ),
      reference
        ? Plot.line(reference.points, { x: "x", y: "y", stroke: ink.soft, strokeDasharray: "5,4", strokeWidth: 1.5 })
        : null,
      options.mark
        ? [
            Plot.ruleX([options.mark.x], { stroke: ink.soft, strokeDasharray: "2,4" }),
            Plot.text([options.mark], { x: "x", text: "text", frameAnchor: "bottom", dy: -8, dx: late ? -5 : 5, textAnchor: late ? "end" : "start", fill: ink.soft }),
          ]
        : null,
      Plot.areaY(
        main.filter((p) => p.low !== null && p.low !== undefined),
        { x: "x", y1: "low", y2: "high", z, fill: color, fillOpacity: 0.1, clip: true },
      ),
      Plot.line(
        strong.filter((p) => p.faint),
        { x: "x", y: "y", z, stroke: color, strokeWidth: 1, strokeOpacity: 0.35 },
      ),
      Plot.line(main, { x: "x", y: "y", z, stroke: color, strokeWidth: 2 }),
      options.dots ? Plot.dot(main, { x: "x", y: "y", r: 3, fill: color }) : null,
      endLabels(ends),
      Plot.tip(
        points,
        Plot.pointer({
          x: "x",
          y: "y",
          title: (p: LinePoint) => `${p.name}${p.run ? `, ${p.run}` : ""}\n${amount(p.x)}\n${amount(p.y)}`,
          ...tipOptions,
        }),
      ),
    ],
  });
}
