// One dot per name with an interval, on a common axis: labels needed, correlations, scores.
import * as Plot from "@observablehq/plot";
import { amount, interval, isNumber, tick } from "../format";
import { nameAxis, nameMargin } from "../labels";
import { drawn, kDot, logTicks, padded, tipOptions } from "../plot";
import { ink } from "../theme";

export interface DotRow {
  name: string;
  value: number;
  low?: number | null;
  high?: number | null;
  hollow?: boolean; // a lower bound, a baseline
  note?: string;
}

export function dotChart(
  rows: DotRow[],
  label: string,
  width: number,
  options: { log?: boolean; domain?: [number, number] } = {},
): SVGSVGElement {
  const margin = nameMargin(
    rows.map((r) => r.name),
    width,
  );
  const color = (r: DotRow): string => (r === rows[0] && !r.hollow ? ink.accent : r.hollow ? ink.soft : ink.text);
  const values = rows.flatMap((r) => [r.value, r.low, r.high]).filter(isNumber);
  const domain = options.domain ?? (options.log ? padded(values, 0.06, true) : undefined);
  return drawn({
    width,
    height: 24 * rows.length + 62,
    marginLeft: margin,
    marginRight: 24,
    marginTop: 6,
    marginBottom: 44,
    y: {
      type: "point",
      domain: rows.map((r) => r.name),
      axis: null,
      padding: 0.5,
    },
    x: {
      type: options.log ? "log" : "linear",
      domain,
      nice: !domain,
      label,
      labelAnchor: "left",
      labelArrow: "none",
      labelOffset: 38,
      grid: true,
      ticks: options.log && domain ? logTicks(domain, width < 500 ? 5 : 9) : width < 500 ? 4 : 7,
      tickFormat: options.log ? tick : undefined,
    },
    marks: [
      nameAxis(
        rows.map((r) => r.name),
        margin,
      ),
      Plot.ruleY(
        rows.filter((r) => isNumber(r.low) && isNumber(r.high)),
        {
          y: "name",
          x1: "low",
          x2: "high",
          stroke: color,
          strokeWidth: 3,
          strokeOpacity: 0.35,
          strokeLinecap: "round",
        },
      ),
      Plot.dot(rows, {
        y: "name",
        x: "value",
        r: kDot,
        fill: (r: DotRow) => (r.hollow ? ink.paper : color(r)),
        stroke: color,
        strokeWidth: 1.5,
      }),
      Plot.tip(
        rows,
        Plot.pointerY({
          y: "name",
          x: "value",
          title: (r: DotRow) =>
            `${r.name}\n${amount(r.value)}${isNumber(r.low) ? `\n${interval(r.low, r.high)}` : ""}${r.note ? `\n${r.note}` : ""}`,
          ...tipOptions,
        }),
      ),
    ],
  });
}
