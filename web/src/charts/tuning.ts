// Tuning: losses and accuracy by epoch, one colour per method, thin lines for seeds and a thick one for their mean.
import type { ChartSpec } from "../chart";
import { Series, choice } from "../controls";
import { amount, isNumber } from "../format";
import { spansDecades } from "../plot";
import { type Epoch, type TuneResult, taught } from "../types";
import { type LinePoint, lineChart } from "./lines";

type Quantity = "validation_accuracy" | "validation_mse" | "train_loss" | "task_loss" | "bayes_loss";
const kNames: Record<Quantity, string> = {
  validation_accuracy: "validation accuracy, higher is better",
  validation_mse: "validation mean squared error, lower is better",
  train_loss: "training loss (nats per sample), lower is better",
  task_loss: "loss of the task (nats per sample), lower is better",
  bayes_loss: "B-Tuning term, lower is better",
};

export function tuningChart(result: TuneResult): ChartSpec | null {
  const runs = (result.runs ?? []).filter((r) => (r.epochs ?? []).length > 0);
  const quantities = (Object.keys(kNames) as Quantity[]).filter((q) =>
    runs.some((r) => r.epochs!.some((e) => isNumber(e[q]))),
  );
  if (quantities.length === 0) return null;
  const methods = [...new Set(runs.map(taught))];
  const series = new Series(methods, 7);
  const state = { quantity: quantities[0]! };
  const value = (e: Epoch): number | null => (isNumber(e[state.quantity]) ? e[state.quantity]! : null);
  const points = (): LinePoint[] =>
    methods.flatMap((method) => {
      const mine = runs.filter((r) => taught(r) === method);
      const seeds: LinePoint[] = mine.flatMap((r, k) =>
        r.epochs!.flatMap((e) =>
          value(e) === null
            ? []
            : [{ name: method, x: e.epoch, y: value(e)!, run: `seed ${r.seed ?? k}`, faint: mine.length > 1 }],
        ),
      );
      if (mine.length === 1) return seeds;
      const epochs = [...new Set(seeds.map((p) => p.x))].sort((a, b) => a - b);
      const means = epochs.map((x) => {
        const ys = seeds.filter((p) => p.x === x).map((p) => p.y);
        return { name: method, x, y: ys.reduce((a, b) => a + b, 0) / ys.length, run: "mean" };
      });
      return [...seeds, ...means];
    });
  return {
    name: "tuning-curves",
    title: "Tuning",
    wide: true,
    reading: "Each colour is a method. Thin lines are seeds, the thick line is their mean.",
    alt: () => {
      const ends = methods.map(
        (m) =>
          `${m} ${amount(
            points()
              .filter((p) => p.name === m && !p.faint)
              .pop()?.y,
          )}`,
      );
      return `Tuning curves of ${methods.length} methods: ${kNames[state.quantity]} by epoch. At the end: ${ends.join(", ")}.`;
    },
    draw: (width) =>
      lineChart(points(), series, width, {
        xLabel: "epoch",
        yLabel: kNames[state.quantity],
        log: state.quantity !== "validation_accuracy" && spansDecades(points().map((p) => p.y)),
      }),
    controls: (redraw) => [
      choice(
        "Show",
        quantities.map((q) => ({ value: q, label: q.replaceAll("_", " ") })),
        state.quantity,
        (q) => {
          state.quantity = q as Quantity;
          redraw();
        },
      ),
      methods.length > 1 ? series.picker(redraw) : null,
    ],
    data: () => ({
      columns: ["method", "run", "epoch", state.quantity],
      rows: points().map((p) => [p.name, p.run, p.x, p.y]),
    }),
  };
}
