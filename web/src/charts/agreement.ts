// How far the metrics order the models alike.
import type { ChartSpec } from "../chart";
import { fixed, isNumber } from "../format";
import type { Agreement } from "../types";
import { type Cell, heatMap } from "./heat";

export function agreementChart(agreement: Agreement): ChartSpec {
  const names = agreement.metrics;
  const cells: Cell[] = names.flatMap((row, i) =>
    names.map((column, j) => ({ row, column, value: agreement.kendall[i]?.[j] })),
  );
  const pairs = cells
    .filter((c) => names.indexOf(c.row) < names.indexOf(c.column) && isNumber(c.value))
    .sort((a, b) => b.value! - a.value!);
  return {
    name: "agreement",
    title: "Do the metrics agree?",
    wide: names.length > 8,
    reading:
      "Kendall\u2019s \u03c4 between the orders that two metrics give the models: 1 is the same order, 0 unrelated, \u22121 reversed. Each metric is first turned so that higher is better.",
    alt: () => {
      const [best, worst] = [pairs[0], pairs[pairs.length - 1]];
      return `Heat map of Kendall's tau between ${names.length} metrics. ${best ? `${best.row} and ${best.column} agree most, ${fixed(best.value, 2)}; ` : ""}${worst ? `${worst.row} and ${worst.column} least, ${fixed(worst.value, 2)}.` : ""}`;
    },
    draw: (width) => heatMap(cells, names, names, width),
    data: () => ({
      columns: ["metric", ...names],
      rows: names.map((name, i) => [name, ...(agreement.kendall[i] ?? [])]),
    }),
  };
}
