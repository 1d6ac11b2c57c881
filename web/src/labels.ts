// Names beside points and at the ends of lines, placed so that none covers another.
import * as Plot from "@observablehq/plot";
import { svg } from "./dom";
import { ink } from "./theme";

const kSize = 12;
const kFont = `${kSize}px ui-sans-serif, system-ui, sans-serif`;

let pen: CanvasRenderingContext2D | null = null;
export function textWidth(text: string): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 7 * text.length;
  pen.font = kFont;
  return pen.measureText(text).width;
}

// Names of one family begin alike and end in what was done to them: both ends stay, the middle goes.
export function shortened(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let keep = text.length - 1;
  const cut = (): string => {
    const front = Math.ceil(keep / 2);
    return `${text.slice(0, front)}\u2026${text.slice(text.length - (keep - front))}`;
  };
  while (keep > 1 && textWidth(cut()) > width) --keep;
  return cut();
}

const commonStart = (a: string, b: string): number => {
  let k = 0;
  while (k < Math.min(a.length, b.length) && a[k] === b[k]) ++k;
  return k;
};
const reversed = (text: string): string => [...text].reverse().join("");

// Names that look alike when their middle is cut: what differs stays, between two gaps.
function tellingApart(names: string[], width: number): Map<string, string> {
  const start = Math.min(...names.map((name) => commonStart(name, names[0]!)));
  const end = Math.min(...names.map((name) => commonStart(reversed(name.slice(start)), reversed(names[0]!.slice(start)))));
  return new Map(
    names.map((name) => {
      const differs = name.slice(start, name.length - end);
      for (let keep = Math.max(start, end); keep >= 0; --keep) {
        const head = start > keep ? `${name.slice(0, keep)}\u2026` : name.slice(0, start);
        const tail = end > keep ? `\u2026${name.slice(name.length - keep)}` : name.slice(name.length - end);
        const text = head + differs + (keep === 0 && end > 0 ? "\u2026" : tail);
        if (textWidth(text) <= width) return [name, text];
      }
      return [name, shortened(name, width)];
    }),
  );
}

// All names of a list, cut to a width so that they stay different from each other where that can be.
export function shortNames(names: string[], width: number): Map<string, string> {
  const short = new Map(names.map((name) => [name, shortened(name, width)]));
  const alike = new Map<string, string[]>();
  for (const [name, text] of short) alike.set(text, [...(alike.get(text) ?? []), name]);
  for (const group of alike.values())
    if (group.length > 1) for (const [name, text] of tellingApart(group, width)) short.set(name, text);
  return short;
}

// Names in the left margin, the whole name on hover.
export function nameAxis(names: string[], margin: number): Plot.Markish {
  return (_index: unknown, scales: any) => {
    const short = shortNames(names, margin - 14);
    const group = svg("g", { "font-size": kSize, fill: ink.soft, "text-anchor": "end", "data-part": "names" });
    for (const name of names) {
      const y = (scales.y(name) as number) + 0.5 * ((scales.y.bandwidth?.() as number | undefined) ?? 0);
      const text = svg("text", { x: margin - 8, y, dy: "0.32em" }, short.get(name)!);
      text.append(svg("title", {}, name));
      group.append(text);
    }
    return group;
  };
}

// Room for the longest name, at most a share of the chart.
export const nameMargin = (names: string[], width: number, share = width < 500 ? 0.46 : 0.38): number =>
  Math.ceil(Math.min(share * width, Math.max(40, ...names.map(textWidth)) + 14));

export interface Label {
  x: number;
  y: number;
  text: string;
  color?: string;
  above?: boolean; // up and to the left is free: the label goes there
}

function halo(x: number, y: number, text: string, color: string, anchor: string): SVGTextElement {
  return svg(
    "text",
    {
      x,
      y,
      fill: color,
      stroke: ink.paper,
      "stroke-width": 4,
      "stroke-linejoin": "round",
      "paint-order": "stroke",
      "text-anchor": anchor,
      dy: "0.35em",
    },
    text,
  );
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
const apart = (a: Box, b: Box): boolean => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

type Placement = readonly [dx: number, dy: number, anchor: "start" | "middle" | "end"];
const kAboveLeft: Placement = [-7, -10, "end"];
const kBeside: Placement[] = [
  [9, 0, "start"],
  [-9, 0, "end"],
  [0, -13, "middle"],
  [0, 13, "middle"],
  [7, -10, "start"],
  [7, 10, "start"],
  kAboveLeft,
  [-7, 10, "end"],
];

// Beside, above or below the point: the first place that is free; none, then no label. The first
// labels are served first.
// `corner`: a word that stands in the upper left.
export function pointLabels(labels: Label[], corner = ""): Plot.Markish {
  return (_index: unknown, scales: any, _values: unknown, dimensions: any) => {
    const group = svg("g", { "font-size": kSize, "aria-hidden": "true" });
    const at = labels.map((label) => ({ label, x: scales.x(label.x) as number, y: scales.y(label.y) as number }));
    const taken: Box[] = at.map(({ x, y }) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }));
    const [left, top] = [dimensions.marginLeft, dimensions.marginTop];
    if (corner) taken.push({ left, right: left + 10 + textWidth(corner), top: top - 4, bottom: top + 18 });
    at.forEach(({ label, x, y }, own) => {
      const text = shortened(label.text, 170);
      const w = textWidth(text);
      for (const [dx, dy, anchor] of label.above ? [kAboveLeft, ...kBeside] : kBeside) {
        const left = anchor === "start" ? x + dx : anchor === "end" ? x + dx - w : x - w / 2;
        const box = { left, right: left + w, top: y + dy - 7, bottom: y + dy + 7 };
        if (
          left < dimensions.marginLeft + 2 ||
          box.right > dimensions.width - 2 ||
          box.top < 2 ||
          box.bottom > dimensions.height - dimensions.marginBottom
        )
          continue;
        if (!taken.every((other, k) => k === own || apart(box, other))) continue;
        taken.push(box);
        group.append(halo(x + dx, y + dy, text, label.color ?? ink.text, anchor));
        break;
      }
    });
    return group;
  };
}

// At the right end of each line, moved apart where they would overlap.
export function endLabels(labels: Label[]): Plot.Markish {
  return (_index: unknown, scales: any, _values: unknown, dimensions: any) => {
    const group = svg("g", { "font-size": kSize, "aria-hidden": "true" });
    const step = 15;
    const at = labels
      .map((label) => ({ label, x: scales.x(label.x) as number, y: scales.y(label.y) as number }))
      .sort((a, b) => a.y - b.y);
    const bottom = dimensions.height - dimensions.marginBottom;
    for (let k = 0; k < at.length; ++k) if (k > 0) at[k]!.y = Math.max(at[k]!.y, at[k - 1]!.y + step);
    for (let k = at.length - 1; k >= 0; --k)
      at[k]!.y = Math.min(at[k]!.y, k + 1 < at.length ? at[k + 1]!.y - step : bottom);
    const room = dimensions.marginRight - 12;
    for (const { label, x, y } of at)
      group.append(halo(x + 8, y, shortened(label.text, room), label.color ?? ink.text, "start"));
    return group;
  };
}

export const endMargin = (names: string[], width: number): number =>
  Math.ceil(Math.min(0.3 * width, Math.max(20, ...names.map(textWidth)) + 18));
