// Scores of successive checkpoints, one quantity at a time.
import type { ChartSpec } from "../chart";
import { Series, choice } from "../controls";
import { amount, isNumber } from "../format";
import type { TrackResult } from "../types";
import { type LinePoint, lineChart } from "./lines";

export function trackChart(result: TrackResult): ChartSpec | null {
  const quantities = Object.keys(result.metrics);
  if (quantities.length === 0 || result.models.length < 2) return null;
  const state = { quantity: quantities.includes(result.by) ? result.by : quantities[0]! };
  const points = (): LinePoint[] =>
    result.models.flatMap((m) => {
      const score = m.scores[state.quantity];
      return isNumber(score?.value)
        ? [{ name: state.quantity, x: m.step, y: score.value, low: score.low, high: score.high }]
        : [];
    });
  return {
    name: "track",
    title: "Over training",
    wide: true,
    reading: `The band holds each score with ${Math.round(100 * result.confidence)} % confidence. Whether two checkpoints in a row differ is in the table: the paired interval of their change is narrower.`,
    alt: () => {
      const last = points()[points().length - 1];
      return `${state.quantity} of ${result.models.length} checkpoints over steps; ${amount(last?.y)} at the last. Best by ${result.by}: ${result.best}.`;
    },
    draw: (width) =>
      lineChart(points(), new Series([state.quantity], 1), width, {
        xLabel: "step",
        yLabel: `${state.quantity} (${result.metrics[state.quantity]?.unit ?? ""})`,
        dots: true,
        mark: { x: result.best_step, text: `best by ${result.by}` },
      }),
    controls: (redraw) => [
      choice(
        "Show",
        quantities.map((q) => ({ value: q, label: result.metrics[q]!.title })),
        state.quantity,
        (q) => {
          state.quantity = q;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["checkpoint", "step", "quantity", "value", "low", "high"],
      rows: result.models.flatMap((m) =>
        Object.entries(m.scores).map(([q, s]) => [m.name, m.step, q, s.value, s.low, s.high]),
      ),
    }),
  };
}
