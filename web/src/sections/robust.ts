import { boundChart, epsilonChart, judgedAt, robustOrder, scoreAt } from "../charts/robust";
import { amount, count, isNumber, plain } from "../format";
import { type Column, tableSection } from "../table";
import type { RobustModel, RobustResult } from "../types";
import { robustVerdict } from "../verdict";
import { type Section, charts, notes, titled, withHalf } from "./parts";

interface Row {
  model: RobustModel;
  threshold: number;
}

function scoreColumn(epsilon: number): Column<Row> {
  const at = (r: Row) => scoreAt(r.model, r.threshold, epsilon);
  const half = (r: Row): number | null => (isNumber(at(r)?.calibrated_se) ? 1.96 * at(r)!.calibrated_se! : null);
  return {
    title: `\u03b5 = ${plain(epsilon)}`,
    unit: "calibrated",
    direction: "higher",
    value: (r) => at(r)?.calibrated ?? at(r)?.value,
    show: (r) =>
      withHalf(at(r)?.calibrated ?? at(r)?.value, half(r), 3, `measured, not calibrated: ${amount(at(r)?.value)}`),
    extra: [
      { title: `measured at ${epsilon}`, value: (r) => at(r)?.value },
      { title: `half-width at ${epsilon}`, value: half },
    ],
  };
}

export function robustSection(result: RobustResult): Section {
  const models = robustOrder(result);
  const at = judgedAt(result);
  const rows: Row[] = models.flatMap((model) =>
    [...new Set(model.scores.map((s) => s.threshold))].map((threshold) => ({ model, threshold })),
  );
  const epsilons = [...new Set(models.flatMap((m) => m.scores.map((s) => s.epsilon)))];
  const columns: Column<Row>[] = [
    { title: "model", text: true, value: (r) => r.model.name },
    { title: "threshold", unit: "accuracy", value: (r) => r.threshold, show: (r) => plain(r.threshold) },
    ...epsilons.map(scoreColumn),
    { title: "dimension", value: (r) => r.model.dim, show: (r) => count(r.model.dim) },
  ];
  return {
    title: "Robustness without data",
    verdict: robustVerdict(result),
    facts: [
      ["Models", count(models.length)],
      ["Samples", `${count(models[0]?.train)} + ${count(models[0]?.test)}`],
      ["Norm of shifts", result.norm],
      ["Compared at \u03b5", plain(at.epsilon)],
      ["Threshold accuracy", plain(at.threshold)],
    ],
    body: [
      charts([boundChart(result), epsilonChart(result)]),
      titled(
        "All scores",
        "Calibrated scores: 1 is the raw data, the bias of finite samples is taken out. \u00b1 is half of a 95 % interval.",
        tableSection({ name: "robustness", caption: "SynBench scores", columns, rows }),
      ),
      notes(
        result.failed,
        models.flatMap((m) => (m.notes ?? []).map((note) => `${m.name}: ${note}`)),
      ),
    ],
  };
}
