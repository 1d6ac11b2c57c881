// The rank of every model from run to run: a line that slopes is a model that moved.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { toggle } from "../controls";
import { svg } from "../dom";
import { nameMargin, shortNames } from "../labels";
import { drawn, kDot, tipOptions } from "../plot";
import { type Run, inAll } from "../runs";
import { ink, seriesColor, seriesCount } from "../theme";

interface Point {
  name: string;
  run: string;
  rank: number; // among the models that all runs have
}

const kMost = 40;

function ranksInAll(runs: Run[], names: string[]): Point[] {
  return runs.flatMap((run) =>
    [...names]
      .sort((a, b) => run.places.get(a)!.rank - run.places.get(b)!.rank)
      .map((name, k) => ({ name, run: run.name, rank: k + 1 })),
  );
}

// The names at both ends of the lines, whole on hover.
function endNames(points: Point[], run: string, x: number, margin: number, anchor: "start" | "end"): Plot.Markish {
  return (_index: unknown, scales: any) => {
    const group = svg("g", { "font-size": 12, fill: ink.soft, "text-anchor": anchor, "data-part": "names" });
    const here = points.filter((p) => p.run === run);
    const short = shortNames(
      here.map((p) => p.name),
      margin - 40,
    );
    for (const p of here) {
      const label = anchor === "end" ? `${short.get(p.name)} ${p.rank}` : `${p.rank} ${short.get(p.name)}`;
      const text = svg("text", { x, y: scales.y(p.rank) as number, dy: "0.32em" }, label);
      text.append(svg("title", {}, p.name));
      group.append(text);
    }
    return group;
  };
}

export function slopeChart(runs: Run[]): ChartSpec {
  const names = inAll(runs);
  const all = ranksInAll(runs, names);
  const rankOf = (run: Run, name: string): number => all.find((p) => p.run === run.name && p.name === name)!.rank;
  const moved = (name: string): number => {
    const ranks = runs.map((run) => rankOf(run, name));
    return Math.max(...ranks) - Math.min(...ranks);
  };
  // Those that moved most stand out; among equals the better ones.
  const movers = names
    .filter((name) => moved(name) > 0)
    .sort((a, b) => moved(b) - moved(a) || rankOf(runs[0]!, a) - rankOf(runs[0]!, b))
    .slice(0, seriesCount);
  const color = (p: { name: string }): string => {
    const k = movers.indexOf(p.name);
    return k < 0 ? ink.quiet : seriesColor(k);
  };
  const state = { all: names.length <= kMost };
  const best = new Set(
    runs.flatMap((run) =>
      [...names].sort((a, b) => run.places.get(a)!.rank - run.places.get(b)!.rank).slice(0, kMost / 2),
    ),
  );
  const points = (): Point[] =>
    state.all ? all : ranksInAll(runs, names.filter((name) => best.has(name)));
  const draw = (width: number): SVGSVGElement => {
    const list = points();
    const count = new Set(list.map((p) => p.name)).size;
    const margin = nameMargin(
      list.map((p) => `${p.name} 00`),
      width,
      0.34,
    );
    return drawn({
      width,
      height: 22 * count + 56,
      marginLeft: margin,
      marginRight: margin,
      marginTop: 34,
      marginBottom: 14,
      x: { type: "point", domain: runs.map((r) => r.name), axis: "top", label: null, tickSize: 0, padding: 0.02 },
      y: { domain: [count + 0.5, 0.5], axis: null },
      marks: [
        Plot.line(list, {
          x: "run",
          y: "rank",
          z: "name",
          stroke: color,
          strokeWidth: (p: Point) => (movers.includes(p.name) ? 2.2 : 1.3),
        }),
        Plot.dot(list, { x: "run", y: "rank", r: kDot - 1, fill: color }),
        endNames(list, runs[0]!.name, margin - 10, margin, "end"),
        endNames(list, runs[runs.length - 1]!.name, width - margin + 10, margin, "start"),
        Plot.tip(
          list,
          Plot.pointer({ x: "run", y: "rank", title: (p: Point) => `${p.name}\n${p.run}: ${p.rank}`, ...tipOptions }),
        ),
      ],
    });
  };
  return {
    name: "compared-ranks",
    title: "Ranks from run to run",
    wide: true,
    reading: `Every line is a model that all runs have, with its rank among these; the ${movers.length} that moved most are coloured. A line that crosses another is a pair that changed order; whether that is more than chance, the table below says where ranks have ranges.`,
    alt: () =>
      `Slope chart of the ranks of ${names.length} models in ${runs.length} runs. ${movers.length === 0 ? "No model moved." : `Moved most: ${movers[0]}, from ${rankOf(runs[0]!, movers[0]!)} to ${rankOf(runs[runs.length - 1]!, movers[0]!)}.`}`,
    draw,
    controls: (redraw) => [
      names.length > kMost
        ? toggle(`All ${names.length} models`, false, (on) => {
            state.all = on;
            redraw();
          })
        : null,
    ],
    data: () => ({
      columns: ["name", ...runs.map((r) => r.name)],
      rows: names.map((name) => [name, ...runs.map((run) => rankOf(run, name))]),
    }),
  };
}
