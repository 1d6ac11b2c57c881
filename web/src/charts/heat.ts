// A table of numbers, coloured.
import * as Plot from "@observablehq/plot";
import { fixed, isNumber } from "../format";
import { nameAxis, nameMargin, shortened, textWidth } from "../labels";
import { drawn, tipOptions } from "../plot";
import type { Num } from "../types";

export interface Cell {
  row: string;
  column: string;
  value: Num;
}

// Nine steps of a scale that colour-blind readers can tell apart; the middle ones are pale in the
// light theme and dark in the other (style.css).
const kSteps = [-0.75, -0.5, -0.25, -0.05, 0.05, 0.25, 0.5, 0.75];
const step = (value: number): number => kSteps.filter((edge) => value >= edge).length + 1;

// `shade`: where a cell stands between -1 and 1, if not by its value; `tip`: what it says of itself.
export interface HeatOptions {
  shade?: (cell: Cell) => number;
  tip?: (cell: Cell) => string;
}

export function heatMap(
  cells: Cell[],
  rows: string[],
  columns: string[],
  width: number,
  options: HeatOptions = {},
): SVGSVGElement {
  const shade = options.shade ?? ((c: Cell): number => c.value!);
  const tip = options.tip ?? ((c: Cell): string => `${c.row} and ${c.column}\n\u03c4 = ${fixed(c.value)}`);
  const marginLeft = nameMargin(rows, width, 0.3);
  const side = Math.min(72, Math.max(18, (width - marginLeft - 16) / columns.length));
  const height = Math.min(40, Math.max(22, side));
  const slanted = Math.max(...columns.map(textWidth)) > side - 6;
  const marginBottom = slanted ? Math.min(120, Math.max(...columns.map(textWidth)) * 0.75 + 20) : 34;
  const known = cells.filter((c) => isNumber(c.value)) as (Cell & { value: number })[];
  return drawn({
    width: Math.max(260, marginLeft + 16 + side * columns.length),
    height: height * rows.length + marginBottom + 10,
    marginLeft,
    marginRight: 16,
    marginTop: 8,
    marginBottom,
    x: {
      type: "band",
      domain: columns,
      label: null,
      tickSize: 0,
      tickRotate: slanted ? -40 : 0,
      tickFormat: (n: string) => shortened(n, 150),
      padding: 0.04,
    },
    y: {
      type: "band",
      domain: rows,
      axis: null,
      padding: 0.04,
    },
    marks: [
      nameAxis(rows, marginLeft),
      Plot.cell(known, { x: "column", y: "row", fill: (c: Cell) => `var(--h${step(shade(c))})`, rx: 3 }),
      side >= 34
        ? Plot.text(known, {
            x: "column",
            y: "row",
            text: (c: Cell) => fixed(c.value, 2),
            fill: (c: Cell) => `var(--t${step(shade(c))})`,
            fontVariant: "tabular-nums",
          })
        : null,
      Plot.tip(
        known,
        Plot.pointer({
          x: "column",
          y: "row",
          title: tip,
          ...tipOptions,
        }),
      ),
    ],
  });
}
