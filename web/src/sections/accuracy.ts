// What is beside a predicted accuracy: log-loss, macro-F1, and every class's own, on demand.
import { el } from "../dom";
import { columnDigits, fixed, interval, isNumber, percent } from "../format";
import { type Column, tableSection } from "../table";
import type { Num, RankModel, RankResult, RankScore } from "../types";
import { titled } from "./parts";

export const kAccuracy = "accuracy";

const of = (model: RankModel): RankScore | undefined => model.scores?.[kAccuracy];

function number(title: string, unit: string, direction: string, value: (m: RankModel) => Num): Column<RankModel> {
  return { title, unit, direction, value, show: (m) => fixed(value(m)) };
}

function summary(result: RankResult): HTMLElement {
  const info = result.metrics[kAccuracy]!;
  const columns: Column<RankModel>[] = [
    { title: "model", text: true, value: (m) => m.name },
    {
      ...number(kAccuracy, info.unit, info.direction, (m) => of(m)?.value),
      extra: [
        { title: "low", value: (m) => of(m)?.low },
        { title: "high", value: (m) => of(m)?.high },
      ],
    },
  ];
  if (result.models.some((m) => isNumber(of(m)?.low)))
    columns.push({
      title: "interval",
      unit: percent(result.confidence),
      value: (m) => of(m)?.low,
      show: (m) => interval(of(m)?.low, of(m)?.high),
    });
  if (result.models.some((m) => isNumber(of(m)?.log_loss)))
    columns.push(number("log-loss", "nats", "lower", (m) => of(m)?.log_loss));
  if (result.models.some((m) => isNumber(of(m)?.macro_f1)))
    columns.push(number("macro-F1", "mean over classes", "higher", (m) => of(m)?.macro_f1));
  return tableSection({ name: "accuracy", caption: "Predicted accuracy", columns, rows: result.models });
}

// One row per class, one column per model: which classes a model is bad at.
function byClass(result: RankResult): HTMLElement | null {
  const models = result.models.filter((m) => (of(m)?.per_class ?? []).length > 0).slice(0, 12);
  const names = result.targets?.names ?? [];
  const count = of(models[0] ?? result.models[0]!)?.per_class?.length ?? 0;
  if (models.length === 0 || count === 0) return null;
  const rows = Array.from({ length: count }, (_, k) => k);
  const columns: Column<number>[] = [
    { title: "class", text: true, value: (k) => names[k] ?? `class ${k + 1}` },
    ...models.map((m) => ({
      title: m.name,
      direction: "higher",
      value: (k: number) => of(m)?.per_class?.[k],
      show: (k: number) => fixed(of(m)?.per_class?.[k], columnDigits([1])),
    })),
  ];
  return el(
    "details",
    { class: "more" },
    el("summary", {}, `Accuracy of each of the ${count} classes`),
    tableSection({ name: "accuracy_by_class", caption: "Accuracy of each class", columns, rows }),
  );
}

export function accuracySection(result: RankResult): HTMLElement | null {
  if (!result.metrics[kAccuracy] || !result.models.some((m) => isNumber(of(m)?.value))) return null;
  const chance = of(result.models[0]!)?.chance;
  return titled(
    "Accuracy to expect",
    `Of a tuned linear probe trained on all rows, on rows it has not seen${
      isNumber(chance) ? `; guessing has ${fixed(chance)}` : ""
    }.`,
    el("details", { class: "more" }, el("summary", {}, "Interval, log-loss and macro-F1"), summary(result)),
    byClass(result),
  );
}
