// How many labels each model needs to reach a target.
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { count, plain } from "../format";
import { spansDecades } from "../plot";
import type { CurveModel, CurveResult, LabelsNeeded } from "../types";
import { type DotRow, dotChart } from "./dots";

type Target = "target_accuracy" | "target_loss";

export function labelsNeededChart(result: CurveResult): ChartSpec | null {
  const targets = (["target_accuracy", "target_loss"] as Target[]).filter((t) => result.models.some((m) => m[t]));
  if (targets.length === 0) return null;
  const state = { target: targets[0]! };
  const needs = (): { model: CurveModel; need: LabelsNeeded }[] =>
    result.models
      .flatMap((model) => (model[state.target] ? [{ model, need: model[state.target]! }] : []))
      .sort((a, b) => Number(a.need.lower_bound) - Number(b.need.lower_bound) || a.need.labels - b.need.labels);
  const rows = (): DotRow[] =>
    needs().map(({ model, need }) => ({
      name: model.name,
      value: need.labels,
      low: need.lower_bound ? null : need.low,
      high: need.lower_bound ? null : need.high,
      hollow: need.lower_bound || need.reach === "extrapolated",
      note: need.lower_bound
        ? "not reached: more than this"
        : need.reach === "extrapolated"
          ? "extrapolated beyond the data"
          : undefined,
    }));
  const goal = (): string =>
    `${state.target === "target_loss" ? "a loss" : "an accuracy"} of ${plain(needs()[0]?.need.target)}`;
  return {
    name: "labels-needed",
    title: "Labels needed",
    wide: true,
    reading:
      "How many labelled samples each model needs for the target, with the 95 % interval. An empty ring with an interval is extrapolated beyond the data; one without says that more than this is needed: the target was not reached with all labels there are, nor is it foretold.",
    alt: () => {
      const best = rows()[0];
      return `Labels needed to reach ${goal()}, by model. ${best ? (needs()[0]!.need.lower_bound ? "No model reaches it." : `${best.name} needs about ${count(best.value)}.`) : ""}`;
    },
    draw: (width) => {
      const list = rows();
      const values = list.flatMap((r) => [r.value, r.low ?? r.value, r.high ?? r.value]);
      return dotChart(list, `labels to reach ${goal()}, fewer is better`, width, { log: spansDecades(values, 8) });
    },
    controls: (redraw) => [
      choice(
        "Target",
        targets.map((t) => ({ value: t, label: t === "target_loss" ? "loss" : "accuracy" })),
        state.target,
        (t) => {
          state.target = t as Target;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["name", "labels", "low", "high", "lower_bound"],
      rows: needs().map(({ model, need }) => [model.name, need.labels, need.low, need.high, need.lower_bound]),
    }),
  };
}
