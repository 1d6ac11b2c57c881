// Every model under every prior (the paper's Figure 5): who thinks alike of whom.
import type { ChartSpec } from "../chart";
import { fixed, isNumber } from "../format";
import type { PriorResult, PriorRow } from "../types";
import { type Cell, heatMap } from "./heat";

const value = (row: PriorRow): number => row.probe_r2?.value ?? row.expectation_per_pair;

export function priorMatrix(result: PriorResult): ChartSpec | null {
  const temperature = result.models[0]?.temperature;
  const priors = [...new Set(result.models.map((r) => r.prior ?? "prior"))];
  const once = new Map<string, PriorRow>();
  for (const row of result.models) {
    const key = `${row.name}\u0000${row.prior}`;
    if (!once.has(key) || row.temperature === temperature) once.set(key, row);
  }
  if (priors.length < 2) return null;
  const rows = [...once.values()];
  const mean = (name: string): number => {
    const own = rows.filter((r) => r.name === name && !r.own_prior).map(value);
    return own.reduce((a, b) => a + b, 0) / Math.max(1, own.length);
  };
  const names = [...new Set(rows.map((r) => r.name))].sort((a, b) => mean(b) - mean(a));
  const cells: Cell[] = rows.map((r) => ({ row: r.name, column: r.prior ?? "prior", value: value(r) }));
  // Columns have levels of their own: a cell is as dark as its share of the best other model there.
  const best = new Map(
    priors.map((p) => [p, Math.max(...rows.filter((r) => r.prior === p && !r.own_prior).map(value), 1e-12)]),
  );
  const what = isNumber(rows[0]?.probe_r2?.value) ? "probe R\u00b2" : "mean per pair";
  return {
    name: "prior-matrix",
    title: "Each model under each prior",
    wide: true,
    reading: `A row is a model, a column the prior that judges it; the number is ${what}. Colours compare within a column: the darkest is the best model there, the prior\u2019s own left aside. Models with the highest mean over priors come first.`,
    alt: () => `Table of ${names.length} models under ${priors.length} priors; ${names[0]} has the highest mean.`,
    draw: (width) =>
      heatMap(cells, names, priors, width, {
        shade: (c) => Math.min(1, c.value! / best.get(c.column)!),
        tip: (c) => `${c.row} under ${c.column}\n${what} ${fixed(c.value)}`,
      }),
    data: () => ({ columns: ["model", "prior", what], rows: cells.map((c) => [c.row, c.column, c.value]) }),
  };
}
