// The frame around every chart: what it shows, how to read it, the drawing, and its data to take away.
import { el } from "./dom";
import { type DataTable, saveCsv, savePng, saveSvg } from "./download";
import { amount } from "./format";

export interface ChartSpec {
  name: string; // of downloaded files
  title: string;
  reading: string; // how to read it
  alt(): string; // what it shows, in words
  draw(width: number): SVGSVGElement;
  data(): DataTable;
  controls?(redraw: () => void): (HTMLElement | null)[];
  wide?: boolean;
}

function dataTable(data: DataTable, title: string): HTMLElement {
  const most = 500;
  const rows = data.rows
    .slice(0, most)
    .map((row) =>
      el(
        "tr",
        {},
        ...row.map((cell) =>
          el(
            "td",
            { class: typeof cell === "string" ? "text" : null },
            typeof cell === "number" ? amount(cell) : String(cell ?? "\u2013"),
          ),
        ),
      ),
    );
  const head = data.columns.map((column, c) =>
    el("th", { scope: "col", class: typeof data.rows[0]?.[c] === "string" ? "text" : null }, column),
  );
  const table = el(
    "table",
    {},
    el("caption", { class: "hidden" }, `Data of: ${title}`),
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...rows),
  );
  const more =
    data.rows.length > most
      ? el("p", { class: "note" }, `The first ${most} of ${data.rows.length} rows; the CSV has them all.`)
      : null;
  return el(
    "div",
    { class: "scroll data", tabindex: 0, role: "region", "aria-label": `Data of: ${title}` },
    table,
    more,
  );
}

function actions(spec: ChartSpec, chart: () => SVGSVGElement, below: HTMLElement): HTMLElement {
  const button = (label: string, hint: string, click: () => void): HTMLElement =>
    el("button", { type: "button", class: "quiet", "aria-label": `${hint}: ${spec.title}`, click }, label);
  const table = el(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": `Data as a table: ${spec.title}` },
    "Table",
  );
  table.addEventListener("click", () => {
    const open = table.getAttribute("aria-expanded") !== "true";
    table.setAttribute("aria-expanded", String(open));
    below.replaceChildren(...(open ? [dataTable(spec.data(), spec.title)] : []));
  });
  return el(
    "div",
    { class: "actions" },
    table,
    button("CSV", "Download data as CSV", () => saveCsv(spec.data(), spec.name)),
    button("SVG", "Download as SVG", () => saveSvg(chart(), spec.name)),
    button("PNG", "Download as PNG", () => void savePng(chart(), spec.name)),
  );
}

export function chartFigure(spec: ChartSpec): HTMLElement {
  const canvas = el("div", { class: "canvas" });
  const below = el("div", {});
  let width = 0;
  let chart: SVGSVGElement;
  const draw = (): void => {
    if (width === 0) return;
    chart = spec.draw(width);
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", spec.alt());
    canvas.replaceChildren(chart);
    if (below.firstChild) below.replaceChildren(dataTable(spec.data(), spec.title));
  };
  new ResizeObserver((entries) => {
    const next = Math.round(entries[0]!.contentRect.width);
    if (next === 0 || next === width) return;
    width = next;
    draw();
  }).observe(canvas);
  const controls = (spec.controls?.(draw) ?? []).filter((control) => control !== null);
  return el(
    "figure",
    { class: spec.wide ? "chart wide" : "chart" },
    el(
      "div",
      { class: "head" },
      el("h2", {}, spec.title),
      actions(spec, () => chart, below),
    ),
    controls.length > 0 && el("div", { class: "controls" }, ...controls),
    canvas,
    el("figcaption", {}, spec.reading),
    below,
  );
}
