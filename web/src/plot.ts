// What all charts have in common.
import * as Plot from "@observablehq/plot";
import { svg } from "./dom";
import { isNumber } from "./format";
import { textWidth } from "./labels";
import { ink } from "./theme";

export const kDot = 4.5;

// Plot drops labels of a logarithmic axis that it finds too many, even of ticks chosen one by one: such an axis is
// drawn as a mark of its own.
function ownAxis(
  scale: Plot.ScaleOptions | undefined,
  axis: typeof Plot.axisX,
  grid: typeof Plot.gridX,
): Plot.Markish[] {
  if (scale?.type !== "log" || !Array.isArray(scale.ticks)) return [];
  const { ticks, tickFormat, label, labelAnchor, labelArrow, labelOffset } = scale as Plot.ScaleOptions & {
    ticks: number[];
  };
  scale.axis = null;
  const text = { text: tickFormat as (value: number) => string, label, labelAnchor, labelArrow, labelOffset };
  const marks: Plot.Markish[] = [axis(ticks, text as Plot.AxisXOptions)];
  if (scale.grid) marks.unshift(grid(ticks, {}));
  scale.grid = false;
  return marks;
}

const kLine = 15; // of an axis title in two lines

function inLines(label: string, room: number): string[] {
  const lines = [""];
  for (const word of label.split(" ")) {
    const last = lines[lines.length - 1]!;
    if (last !== "" && textWidth(`${last} ${word}`) > room) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

// Axis titles wider than the drawing go into lines, and the margin they stand in grows.
function withFittingTitles(options: Plot.PlotOptions): Plot.PlotOptions {
  const width = options.width ?? 640;
  const fit = (scale: Plot.ScaleOptions | undefined): [Plot.ScaleOptions | undefined, number] => {
    if (typeof scale?.label !== "string" || textWidth(scale.label) <= width - 12) return [scale, 0];
    const lines = inLines(scale.label, width - 12);
    const more = kLine * (lines.length - 1);
    return [{ ...scale, label: lines.join("\n"), labelOffset: isNumber(scale.labelOffset) ? scale.labelOffset + more : undefined }, more];
  };
  const [x, below] = fit(options.x);
  const [y, above] = fit(options.y);
  return {
    ...options,
    x,
    y,
    height: (options.height ?? 400) + below + above,
    marginBottom: (options.marginBottom ?? 30) + below,
    marginTop: (options.marginTop ?? 24) + above,
  };
}

export function drawn(wanted: Plot.PlotOptions): SVGSVGElement {
  const options = withFittingTitles(wanted);
  const axes = [
    ...ownAxis(options.x, Plot.axisX, Plot.gridX),
    ...ownAxis(options.y, Plot.axisY as typeof Plot.axisX, Plot.gridY as typeof Plot.gridX),
  ];
  const chart = Plot.plot({
    style: { fontSize: "12px", fontFamily: "inherit", background: "none", overflow: "visible" },
    marginTop: 24,
    ...options,
    marks: [...axes, ...(options.marks ?? [])],
  });
  // The drawing is one image with one description; names of its parts are for the style sheet.
  for (const part of chart.querySelectorAll("g[aria-label]")) {
    part.setAttribute("data-part", part.getAttribute("aria-label")!);
    part.removeAttribute("aria-label");
  }
  return chart as SVGSVGElement;
}

export const tipOptions = {
  fill: ink.paper,
  stroke: ink.line,
  textPadding: 10,
  fontSize: 12,
  lineHeight: 1.35,
  lineWidth: 26,
} as const;

// A faint word in a corner of the chart: which way is good.
export function corner(text: string, where: "top-left" | "top-right" | "bottom-left" | "bottom-right"): Plot.Markish {
  return (_index: unknown, _scales: unknown, _values: unknown, dimensions: any) => {
    const right = where.endsWith("right");
    const x = right ? dimensions.width - dimensions.marginRight - 4 : dimensions.marginLeft + 6;
    const y = where.startsWith("top") ? dimensions.marginTop + 10 : dimensions.height - dimensions.marginBottom - 8;
    return svg(
      "text",
      { x, y, "text-anchor": right ? "end" : "start", fill: ink.soft, "font-size": 12, "font-style": "italic" },
      text,
    );
  };
}

// Powers of ten deserve a logarithmic axis; values around zero do not allow one.
export function spansDecades(values: number[], ratio = 30): boolean {
  const low = Math.min(...values);
  return values.length > 1 && low > 0 && Math.max(...values) / low > ratio;
}

// Ticks of a logarithmic axis: 1, 2, 5 of every decade, fewer when there are many decades.
export function logTicks([low, high]: [number, number], most = 9): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const choices: [number[], number][] = [
    [[1, 2, 3, 5, 7], 1],
    [[1, 2, 5], 1],
    [[1, 3], 1],
    [[1], 1],
    [[1], 2],
    [[1], 4],
    [[1], 10],
  ];
  for (const [steps, stride] of choices) {
    const ticks: number[] = [];
    for (let k = first; k <= last; ++k) {
      if (k % stride !== 0) continue;
      ticks.push(...steps.map((step) => Number(`${step}e${k}`)).filter((tick) => tick >= low && tick <= high));
    }
    if (ticks.length > 0 && ticks.length <= most) return ticks;
  }
  return [low, high];
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
