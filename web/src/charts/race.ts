// A race through a hub: every model's score over the samples it has seen, until it leaves.
import type { ChartSpec } from "../chart";
import { Series, choice } from "../controls";
import { amount, count, isNumber } from "../format";
import type { RaceModel, RaceResult } from "../types";
import { type LinePoint, lineChart } from "./lines";

// More lines than these only darken the picture: those that left first go.
const kMostLines = 60;

export function raceChart(result: RaceResult): ChartSpec | null {
  const seen = result.models.filter((m) => m.looks.length > 0);
  if (seen.length === 0 || result.race.looks.length < 2) return null;
  const shown = seen.slice(0, kMostLines);
  const series = new Series(
    shown.map((m) => m.name),
    Math.min(5, Math.max(1, result.race.reported.length)),
  );
  const state = { what: "value" };
  const y = (look: RaceModel["looks"][number]): number | null => (state.what === "value" ? look.value : look.difference);
  const points = (): LinePoint[] =>
    shown.flatMap((m) =>
      m.looks.flatMap((look) => (isNumber(y(look)) ? [{ name: m.name, x: look.samples, y: y(look)! }] : [])),
    );
  const unit = result.metrics[result.by]?.unit ?? "";
  return {
    name: "race",
    title: "The race",
    wide: true,
    reading:
      "Each line is a model; it ends where the model left the race. Scores of different numbers of samples are not the same quantity: compare lines at one place." +
      (seen.length > shown.length ? ` The ${count(seen.length - shown.length)} models that left first are not drawn.` : ""),
    alt: () =>
      `Race of ${count(result.models.length)} models by ${result.by} over ${result.race.looks.map((n) => count(n)).join(", ")} samples. Reported: ${result.race.reported.join(", ")}.`,
    draw: (width) =>
      lineChart(points(), series, width, {
        xLabel: "samples seen (log scale)",
        yLabel: state.what === "value" ? `${result.by} (${unit})` : `${result.by} less the leader's (${unit})`,
        xTicks: result.race.looks,
        xLog: true,
        dots: true,
      }),
    controls: (redraw) => [
      choice(
        "Show",
        [
          { value: "value", label: "score" },
          { value: "difference", label: "difference to the leader" },
        ],
        state.what,
        (what) => {
          state.what = what;
          redraw();
        },
      ),
      series.picker(redraw),
    ],
    data: () => ({
      columns: ["model", "samples", "value", "difference", "error", "drift", "high"],
      rows: seen.flatMap((m) =>
        m.looks.map((l) => [m.name, l.samples, l.value, l.difference, l.error, l.drift, isNumber(l.high) ? amount(l.high) : ""]),
      ),
    }),
  };
}
