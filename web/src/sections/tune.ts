import { tuningChart } from "../charts/tuning";
import { count, fixed, isNumber, seconds } from "../format";
import { type Column, tableSection } from "../table";
import type { TuneResult, TuneRun } from "../types";
import { tuneVerdict } from "../verdict";
import { type Section, charts, notes, titled } from "./parts";

const last = (run: TuneRun, key: "validation_accuracy" | "train_loss"): number | null =>
  [...(run.epochs ?? [])]
    .reverse()
    .map((e) => e[key])
    .find(isNumber) ?? null;

export function tuneSection(result: TuneResult): Section {
  const runs = result.runs ?? [];
  const columns: Column<TuneRun>[] = [
    { title: "method", text: true, value: (r) => r.method },
    { title: "seed", value: (r) => r.seed, show: (r) => String(r.seed ?? "\u2013") },
    { title: "epochs", value: (r) => r.epochs?.length, show: (r) => count(r.epochs?.length) },
  ];
  const test = (r: TuneRun): number | null | undefined => r.test_accuracy ?? r.accuracy;
  if (runs.some((r) => isNumber(test(r))))
    columns.push({ title: "test accuracy", direction: "higher", value: test, show: (r) => fixed(test(r), 4) });
  if (runs.some((r) => last(r, "validation_accuracy") !== null))
    columns.push({
      title: "last validation accuracy",
      direction: "higher",
      value: (r) => last(r, "validation_accuracy"),
      show: (r) => fixed(last(r, "validation_accuracy"), 4),
    });
  if (runs.some((r) => last(r, "train_loss") !== null))
    columns.push({
      title: "last training loss",
      unit: "nats/sample",
      direction: "lower",
      value: (r) => last(r, "train_loss"),
      show: (r) => fixed(last(r, "train_loss"), 4),
    });
  if (runs.some((r) => isNumber(r.seconds)))
    columns.push({ title: "time", direction: "lower", value: (r) => r.seconds, show: (r) => seconds(r.seconds) });
  const facts: [string, string][] = [
    ["Methods", count(new Set(runs.map((r) => r.method)).size)],
    ["Runs", count(runs.length)],
  ];
  if (result.target) facts.unshift(["Target", result.target]);
  return {
    title: "Tuning",
    verdict: tuneVerdict(result),
    facts,
    body: [
      charts([tuningChart(result)]),
      titled("All runs", "", tableSection({ name: "runs", caption: "Tuning runs", columns, rows: runs })),
      notes(result.failed, result.notes ?? []),
    ],
  };
}
