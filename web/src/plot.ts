// What all charts have in common.
import * as Plot from "@observablehq/plot";
import { svg } from "./dom";
import { ink } from "./theme";

export const kDot = 4.5;

export function drawn(options: Plot.PlotOptions): SVGSVGElement {
  const chart = Plot.plot({ style: { fontSize: "12px", fontFamily: "inherit", background: "none", overflow: "visible" }, marginTop: 24, ...options });
  return chart as SVGSVGElement;
}

export const tipOptions = { fill: ink.paper, stroke: ink.line, textPadding: 10, fontSize: 12, lineHeight: 1.35, lineWidth: 26 } as const;

// A faint word in a corner of the chart: which way is good.
export function corner(text: string, where: "top-left" | "top-right" | "bottom-left" | "bottom-right"): Plot.Markish {
  return (_index: unknown, _scales: unknown, _values: unknown, dimensions: any) => {
    const right = where.endsWith("right");
    const x = right ? dimensions.width - dimensions.marginRight - 4 : dimensions.marginLeft + 6;
    const y = where.startsWith("top") ? dimensions.marginTop + 10 : dimensions.height - dimensions.marginBottom - 8;
    return svg("text", { x, y, "text-anchor": right ? "end" : "start", fill: ink.soft, "font-size": 12, "font-style": "italic" }, text);
  };
}

// Powers of ten deserve a logarithmic axis; values around zero do not allow one.
export function spansDecades(values: number[], ratio = 30): boolean {
  const low = Math.min(...values);
  return values.length > 1 && low > 0 && Math.max(...values) / low > ratio;
}

// Ticks of a logarithmic axis: 1, 2, 5 of every decade, fewer when there are many decades.
export function logTicks([low, high]: [number, number], most = 9): number[] {
  for (const steps of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); ++k) {
      for (const step of steps) {
        const tick = Number(`${step}e${k}`);
        if (tick >= low && tick <= high) ticks.push(tick);
      }
    }
    if (ticks.length <= most || steps.length === 1) return ticks;
  }
  return [];
}

// A little air around the outermost points.
export function padded(values: number[], share = 0.06, log = false): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (log) {
    const factor = Math.pow(high / low, share) || 1.1;
    return [low / Math.max(factor, 1.05), high * Math.max(factor, 1.05)];
  }
  const pad = high > low ? share * (high - low) : Math.max(1e-9, Math.abs(high) * share || 1);
  return [low - pad, high + pad];
}
