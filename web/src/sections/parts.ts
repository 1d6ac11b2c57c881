// Pieces that several kinds of result share.
import { chartFigure, type ChartSpec } from "../chart";
import { el } from "../dom";
import { amount, fixed, isNumber } from "../format";
import type { Failed, Num } from "../types";

export interface Section {
  title: string;
  verdict: string;
  facts: [string, string][];
  body: (HTMLElement | null)[];
}

export function charts(specs: (ChartSpec | null)[]): HTMLElement {
  const shown = specs.filter((s) => s !== null);
  const narrow = shown.filter((s) => !s.wide);
  if (narrow.length % 2 === 1) narrow[narrow.length - 1]!.wide = true; // nobody to stand beside it
  return el("div", { class: "charts" }, ...shown.map(chartFigure));
}

export function titled(title: string, text: string, ...children: (HTMLElement | null)[]): HTMLElement {
  return el("section", {}, el("h2", {}, title), text ? el("p", { class: "lead" }, text) : null, ...children);
}

// The number, and what it may be off by, quieter.
export function withHalf(value: Num, half: Num, digits?: number, title = ""): Node {
  const text = digits === undefined ? amount(value) : fixed(value, digits);
  const decimals = digits ?? text.split(".")[1]?.length ?? 0;
  const node = el("span", { title: title || null }, text);
  if (isNumber(value) && isNumber(half)) node.append(el("small", { class: "half" }, ` \u00b1${fixed(half, decimals)}`));
  return node;
}

export function notes(failed: Failed[] | undefined, lines: string[]): HTMLElement | null {
  const items = [
    ...(failed ?? []).map((f) => el("li", {}, el("strong", {}, f.name), ` was left out: ${f.error}`)),
    ...lines.map((line) => el("li", {}, line)),
  ];
  return items.length > 0
    ? el("section", { class: "notes" }, el("h2", {}, "Worth knowing"), el("ul", {}, ...items))
    : null;
}
