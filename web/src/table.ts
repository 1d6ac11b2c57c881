// A table that can be sorted by any column and filtered by any text in it.
import { el, freshId } from "./dom";
import { saveCsv } from "./download";
import { arrow } from "./format";

export interface Column<Row> {
  title: string;
  unit?: string;
  direction?: string; // "higher" or "lower" is better
  hint?: string;
  text?: boolean; // left-aligned words; numbers otherwise
  value(row: Row): string | number | boolean | null | undefined; // to sort by, and in the CSV
  show?(row: Row): string | Node;
  extra?: { title: string; value(row: Row): number | null | undefined }[]; // further CSV columns
}

export interface TableSpec<Row> {
  name: string;
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  faint?(row: Row): boolean;
}

// Missing values last, whatever the order.
function compare(a: unknown, b: unknown, sign: number): number {
  const missing = (v: unknown): boolean => v === null || v === undefined || v === "";
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  if (typeof a === "string" && typeof b === "string") return sign * a.localeCompare(b, "en", { numeric: true });
  return sign * (Number(a) - Number(b));
}

function heading<Row>(column: Column<Row>, sort: () => void): HTMLElement {
  const button = el("button", { type: "button", click: sort, title: column.hint });
  button.append(el("span", {}, column.title));
  const aside = [column.unit, arrow(column.direction)].filter(Boolean).join(" ");
  if (aside) button.append(el("small", {}, aside));
  return el("th", { scope: "col", class: column.text ? "text" : null, "aria-sort": "none" }, button);
}

function body<Row>(row: Row, spec: TableSpec<Row>): HTMLTableRowElement {
  const tr = el("tr", { class: spec.faint?.(row) ? "faint" : null });
  spec.columns.forEach((column, c) => {
    const value = column.value(row);
    const shown = column.show ? column.show(row) : String(value ?? "");
    const words = column.text ? "text" : null;
    tr.append(
      c === 0
        ? el("th", { scope: "row", class: words }, el("span", { class: "name" }, shown))
        : el("td", { class: words }, shown),
    );
  });
  return tr;
}

export function tableSection<Row>(spec: TableSpec<Row>): HTMLElement {
  const lines = spec.rows.map((row) => ({ row, tr: body(row, spec) }));
  const tbody = el("tbody");
  const status = el("span", { class: "note", role: "status" });
  const heads: HTMLElement[] = [];
  let sorted = -1;
  let sign = 1;

  const fill = (): void => tbody.replaceChildren(...lines.map((line) => line.tr));
  const sortBy = (c: number): void => {
    const column = spec.columns[c]!;
    const first = column.text || column.direction === "lower" || !column.direction ? 1 : -1; // best first
    sign = sorted === c ? -sign : first;
    sorted = c;
    lines.sort((a, b) => compare(column.value(a.row), column.value(b.row), sign));
    heads.forEach((head, k) =>
      head.setAttribute("aria-sort", k !== c ? "none" : sign > 0 ? "ascending" : "descending"),
    );
    fill();
  };
  spec.columns.forEach((column, c) => heads.push(heading(column, () => sortBy(c))));

  const filter = (text: string): void => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { tr } of lines) {
      const content = (tr.textContent ?? "").toLowerCase();
      tr.hidden = !words.every((word) => content.includes(word));
      shown += tr.hidden ? 0 : 1;
    }
    status.textContent = words.length > 0 ? `${shown} of ${lines.length} rows` : "";
  };
  const id = freshId("filter");
  const input = el("input", {
    id,
    type: "search",
    placeholder: "Filter",
    autocomplete: "off",
    input: () => filter(input.value),
  });
  const csv = el(
    "button",
    {
      type: "button",
      class: "quiet",
      click: () =>
        saveCsv(
          tableData(
            spec,
            lines.map((l) => l.row),
          ),
          spec.name,
        ),
    },
    "CSV",
  );
  fill();
  const scroll = el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.caption },
    el("table", {}, el("caption", { class: "hidden" }, spec.caption), el("thead", {}, el("tr", {}, ...heads)), tbody),
  );
  return el(
    "div",
    { class: spec.columns.length > 11 ? "table many" : "table" },
    el(
      "div",
      { class: "bar" },
      el("label", { for: id, class: "hidden" }, `Filter: ${spec.caption}`),
      input,
      status,
      moreColumns(scroll),
      csv,
    ),
    scroll,
  );
}

// What is cut at the right edge can be missed: a button says so and goes there.
function moreColumns(scroll: HTMLElement): HTMLElement {
  const button = el("button", { type: "button", class: "quiet", hidden: true }, "More columns \u2192");
  const show = (): void => {
    button.hidden = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft < 4;
  };
  button.addEventListener("click", () => scroll.scrollBy({ left: 0.8 * scroll.clientWidth }));
  scroll.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(scroll);
  return button;
}

function tableData<Row>(
  spec: TableSpec<Row>,
  rows: Row[],
): { columns: string[]; rows: (string | number | boolean | null | undefined)[][] } {
  const parts = spec.columns.flatMap((c) => [
    { title: c.unit ? `${c.title} (${c.unit})` : c.title, value: c.value },
    ...(c.extra ?? []),
  ]);
  return { columns: parts.map((p) => p.title), rows: rows.map((row) => parts.map((p) => p.value(row))) };
}
