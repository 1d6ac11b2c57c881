// LogME's fixed point: f(t) against t for each class, as in Figure 4 of the paper.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { amount, isNumber, powerTick } from "../format";
import { drawn, logTicks, tipOptions } from "../plot";
import { ink } from "../theme";
import type { FixedPointColumn, RankResult } from "../types";

interface Point {
  panel: number;
  t: number;
  f: number;
}

export function fixedPointChart(result: RankResult): ChartSpec | null {
  const models = result.models.filter((m) => m.scores?.logme?.fixed_point);
  if (models.length === 0) return null;
  const state = { model: models[0]!.name };
  const fixed = () => models.find((m) => m.name === state.model)!.scores!.logme!.fixed_point!;
  const named = (column: FixedPointColumn, k: number): string => column.name ?? `column ${k + 1}`;
  const points = (): Point[] => {
    const { t, columns } = fixed();
    return columns.flatMap((column, panel) =>
      column.f.flatMap((f, k) => (isNumber(f) && f > 0 ? [{ panel, t: t[k]!, f }] : [])),
    );
  };
  const draw = (width: number): SVGSVGElement => {
    const { t, columns } = fixed();
    const across = Math.max(1, Math.min(5, Math.floor(width / 150), columns.length));
    const down = Math.ceil(columns.length / across);
    const fx = (p: { panel: number }): number => p.panel % across;
    const fy = (p: { panel: number }): number => Math.floor(p.panel / across);
    const marks = columns.flatMap((column, panel) =>
      isNumber(column.t) && column.t > 0 ? [{ panel, t: column.t }] : [],
    );
    const corners = columns.map((column, panel) => ({
      panel,
      text: named(column, panel),
      note: column.kind && column.kind !== "interior" ? column.kind : "",
    }));
    const domain: [number, number] = [t[0]!, t[t.length - 1]!];
    const decades = logTicks(domain, 3).filter((tick) => Number.isInteger(Math.log10(tick)));
    return drawn({
      width,
      height: 150 * down + 78,
      marginLeft: 52,
      marginBottom: 46,
      marginTop: 26,
      fx: { axis: null, padding: 0.08 },
      fy: { axis: null, padding: 0.1 },
      x: {
        type: "log",
        domain,
        label: "t = \u03b1/\u03b2",
        labelArrow: "none",
        labelOffset: 40,
        ticks: decades,
        tickFormat: powerTick,
        labelAnchor: "center",
      },
      y: { type: "log", domain, clamp: true, label: "f(t)", labelArrow: "none", ticks: decades, tickFormat: powerTick },
      marks: [
        Plot.frame({ stroke: ink.line }),
        Plot.line(
          corners.flatMap((c) => domain.map((v) => ({ panel: c.panel, t: v }))),
          { x: "t", y: "t", fx, fy, z: "panel", stroke: ink.soft, strokeDasharray: "3,3" },
        ),
        Plot.line(points(), { x: "t", y: "f", fx, fy, z: "panel", stroke: ink.accent, strokeWidth: 2, clip: true }),
        Plot.dot(marks, { x: "t", y: "t", fx, fy, r: 4.5, fill: ink.accent, stroke: ink.paper }),
        Plot.text(corners, {
          fx,
          fy,
          frameAnchor: "top-left",
          dx: 8,
          dy: 8,
          text: "text",
          fontWeight: 600,
          fill: ink.text,
        }),
        Plot.text(corners, { fx, fy, frameAnchor: "bottom-right", dx: -8, dy: -8, text: "note", fill: ink.soft }),
        Plot.tip(
          marks,
          Plot.pointer({
            x: "t",
            y: "t",
            fx,
            fy,
            title: (p: { t: number }) => `fixed point\nt = ${amount(p.t)}`,
            ...tipOptions,
          }),
        ),
      ],
    });
  };
  return {
    name: "fixed-point",
    title: "LogME\u2019s fixed point",
    wide: true,
    reading:
      "A diagnostic, one panel per class: the iteration t \u2192 f(t) of the paper (solid) against t itself (dashed). Where they cross the evidence of that class is largest; a class without a crossing is flagged.",
    alt: () => {
      const { columns } = fixed();
      return `f(t) against t for ${columns.length} classes of ${state.model}. ${columns.filter((c) => isNumber(c.t) && c.t > 0).length} have a fixed point.`;
    },
    draw,
    controls: (redraw) => [
      choice(
        "Model",
        models.map((m) => ({ value: m.name, label: m.name })),
        state.model,
        (model) => {
          state.model = model;
          redraw();
        },
      ),
    ],
    data: () => {
      const { t, columns } = fixed();
      return {
        columns: ["t", ...columns.map(named)],
        rows: t.map((value, k) => [value, ...columns.map((c) => c.f[k])]),
      };
    },
  };
}
