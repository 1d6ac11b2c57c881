import { bestFirst, curvesChart, lossUnit } from "../charts/curves";
import { labelsNeededChart } from "../charts/labels_needed";
import { amount, count, fixed, isNumber, plain, rough } from "../format";
import { type Column, tableSection } from "../table";
import type { CurveModel, CurveResult, LabelsNeeded, Tolerance } from "../types";
import { curveVerdict } from "../verdict";
import { type Section, charts, notes, titled, withHalf } from "./parts";

const bound = (t: Tolerance | undefined, text: (v: number) => string): string =>
  !t
    ? "\u2013"
    : `${t.lower_bound ? "> " : ""}${text(t.value)}${isNumber(t.sd) && t.sd > 0 ? ` \u00b1${text(t.sd)}` : ""}`;

function needColumn(title: string, key: "target_loss" | "target_accuracy"): Column<CurveModel> {
  const text = (n: LabelsNeeded | undefined): string =>
    !n
      ? "\u2013"
      : n.lower_bound
        ? `> ${count(n.labels)}`
        : `${rough(n.labels)}${isNumber(n.low) && isNumber(n.high) ? ` [${rough(n.low)}\u2013${n.high_is_bound ? "more" : rough(n.high)}]` : ""}${n.reach === "extrapolated" ? ", extrapolated" : ""}`;
  return { title, unit: "labels", direction: "lower", value: (m) => m[key]?.labels, show: (m) => text(m[key]) };
}

function columns(result: CurveResult): Column<CurveModel>[] {
  const unit = lossUnit(result);
  const last = (m: CurveModel) => m.curve[m.curve.length - 1];
  const out: Column<CurveModel>[] = [
    { title: "model", text: true, value: (m) => m.name },
    {
      title: "loss (VA)",
      unit,
      direction: "lower",
      value: (m) => m.va,
      show: (m) => withHalf(m.va, m.va_sd || null),
      extra: [{ title: "loss sd", value: (m) => m.va_sd }],
    },
  ];
  if (result.models.some((m) => isNumber(last(m)?.accuracy)))
    out.push({
      title: "accuracy",
      direction: "higher",
      value: (m) => last(m)?.accuracy,
      show: (m) => fixed(last(m)?.accuracy, 4),
    });
  if (result.models.some((m) => isNumber(m.mi)))
    out.push({
      title: "MI \u2265",
      unit,
      direction: "higher",
      value: (m) => m.mi,
      show: (m) => amount(m.mi),
      hint: "mutual information with the labels, at least",
    });
  out.push({
    title: "MDL",
    unit: "nats",
    direction: "lower",
    value: (m) => m.mdl,
    show: (m) => withHalf(m.mdl, m.mdl_sd),
    hint: "minimum description length",
  });
  result.epsilon.forEach((epsilon, k) => {
    out.push({
      title: `SDL(\u03b5 = ${plain(epsilon)})`,
      unit: "nats",
      direction: "lower",
      value: (m) => m.sdl[k]?.value,
      show: (m) => bound(m.sdl[k], amount),
      hint: "surplus description length",
    });
    out.push({
      title: `\u03b5SC(\u03b5 = ${plain(epsilon)})`,
      unit: "labels",
      direction: "lower",
      value: (m) => m.esc[k]?.value,
      show: (m) => bound(m.esc[k], count),
      hint: "sample complexity",
    });
  });
  if (result.models.some((m) => m.target_accuracy))
    out.push(needColumn(`accuracy ${plain(result.models[0]?.target_accuracy?.target)}`, "target_accuracy"));
  if (result.models.some((m) => m.target_loss))
    out.push(needColumn(`loss ${plain(result.models[0]?.target_loss?.target)}`, "target_loss"));
  if (result.models.some((m) => (m.flags ?? []).length > 0))
    out.push({ title: "flags", text: true, value: (m) => (m.flags ?? []).join(", ") });
  return out;
}

export function curveSection(result: CurveResult): Section {
  const models = bestFirst(result);
  const sizes = new Set(models.flatMap((m) => m.curve.map((p) => p.n))).size;
  return {
    title: "How many labels are needed",
    verdict: curveVerdict(result),
    facts: [
      ["Models", count(models.length)],
      ["Labels, at most", count(Math.max(0, ...models.map((m) => m.n)))],
      ["Sizes measured", count(sizes)],
      ["Judged on", result.validation_rows === undefined ? "\u2013" : `${count(result.validation_rows)} held-out`],
      ["Probe", result.probe?.kind ?? "given curve"],
      ["Areas by", `${result.rule} rule`],
    ],
    body: [
      charts([curvesChart(result), labelsNeededChart(result)]),
      titled(
        "All measures",
        "At the largest number of labels. \u00b1 is the spread over seeds, [ ] a 95 % interval, > a lower bound.",
        tableSection({ name: "measures", caption: "Measures of every curve", columns: columns(result), rows: models }),
      ),
      notes(result.failed, result.notes ?? []),
    ],
  };
}
