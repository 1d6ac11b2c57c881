import { trackChart } from "../charts/track";
import { columnDigits, count, fixed, isNumber } from "../format";
import { type Column, tableSection } from "../table";
import type { TrackResult } from "../types";
import { type Section, charts, notes, titled, withHalf } from "./parts";

type Row = TrackResult["models"][number];

function quantityColumns(result: TrackResult, quantity: string): Column<Row>[] {
  const info = result.metrics[quantity]!;
  const digits = columnDigits(result.models.map((m) => m.scores[quantity]?.value));
  const half = (low: number | null | undefined, high: number | null | undefined): number | null =>
    isNumber(low) && isNumber(high) ? 0.5 * (high - low) : null;
  return [
    {
      title: info.title,
      unit: info.unit,
      ...(info.direction === "none" ? {} : { direction: info.direction }),
      value: (m) => m.scores[quantity]?.value,
      show: (m) => withHalf(m.scores[quantity]?.value ?? null, half(m.scores[quantity]?.low, m.scores[quantity]?.high), digits),
    },
    {
      title: "change",
      value: (m) => m.scores[quantity]?.change,
      show: (m) => {
        const score = m.scores[quantity];
        if (!isNumber(score?.change)) return "\u2013";
        return withHalf(score.change, half(score.change_low, score.change_high), digits);
      },
      hint: "from the checkpoint before, with its paired interval",
    },
  ];
}

export function trackSection(result: TrackResult): Section {
  const columns: Column<Row>[] = [
    { title: "checkpoint", text: true, value: (m) => m.name },
    { title: "step", value: (m) => m.step, show: (m) => count(m.step) },
    ...Object.keys(result.metrics).flatMap((quantity) => quantityColumns(result, quantity)),
    { title: "dimension", value: (m) => m.dim, show: (m) => count(m.dim) },
  ];
  return {
    title: "Training, followed",
    verdict: result.verdict ?? "",
    facts: [
      ["Checkpoints", count(result.models.length)],
      ["Samples", count(result.models[0]?.n)],
      ["Best", `${result.best} (step ${fixed(result.best_step, 0)})`],
      ["Judged by", result.by],
    ],
    body: [
      charts([trackChart(result)]),
      titled("Checkpoints", "", tableSection({ name: "checkpoints", caption: "Checkpoints in the order of their steps", columns, rows: result.models })),
      notes(result.failed, result.notes ?? []),
    ],
  };
}
