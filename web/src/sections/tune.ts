import { tuningChart } from "../charts/tuning";
import { count, fixed, isNumber, seconds } from "../format";
import { type Column, tableSection } from "../table";
import { type TuneResult, type TuneRun, type TuneSummary, taught } from "../types";
import { tuneVerdict } from "../verdict";
import { type Section, charts, notes, titled } from "./parts";

const last = (run: TuneRun, key: "validation_accuracy" | "train_loss"): number | null =>
  [...(run.epochs ?? [])]
    .reverse()
    .map((e) => e[key])
    .find(isNumber) ?? null;

const signed = (value: number): string => `${value < 0 ? "" : "+"}${fixed(value, 4)}`;

const measures: Record<string, string> = {
  accuracy: "accuracy",
  average_precision: "mean average precision",
  mse: "mean squared error",
};

function summaryTable(result: TuneResult): HTMLElement | null {
  const rows = result.summary ?? [];
  if (rows.length === 0) return null;
  const lower = result.quantity === "mse";
  const columns: Column<TuneSummary>[] = [
    { title: "method", text: true, value: taught },
    {
      title: `${result.measured_on ?? "test"} ${measures[result.quantity ?? "accuracy"] ?? "accuracy"}`,
      direction: lower ? "lower" : "higher",
      value: (s) => s.mean,
      show: (s) => `${fixed(s.mean, 4)}${isNumber(s.sd) ? ` \u00b1${fixed(s.sd, 4)}` : ""}`,
    },
    {
      title: "over fine-tuning",
      value: (s) => s.against_finetune?.difference,
      show: (s) => (s.against_finetune ? signed(s.against_finetune.difference) : "\u2013"),
    },
    {
      title: "95 % of that",
      text: true,
      value: (s) => {
        const pair = s.against_finetune;
        return pair && isNumber(pair.low) && isNumber(pair.high)
          ? `${signed(pair.low)} to ${signed(pair.high)}`
          : "\u2013";
      },
    },
    {
      title: "paired test, p",
      value: (s) => s.against_finetune?.p,
      show: (s) => fixed(s.against_finetune?.p, 3),
    },
    { title: "seeds", value: (s) => s.runs.length, show: (s) => count(s.runs.length) },
    {
      title: "time per epoch",
      direction: "lower",
      value: (s) => s.seconds_per_epoch,
      show: (s) => seconds(s.seconds_per_epoch),
    },
  ];
  return titled("Methods", "", tableSection({ name: "methods", caption: "Methods compared", columns, rows }));
}

export function tuneSection(result: TuneResult): Section {
  const runs = result.runs ?? [];
  const columns: Column<TuneRun>[] = [
    { title: "method", text: true, value: taught },
    { title: "seed", value: (r) => r.seed, show: (r) => String(r.seed ?? "\u2013") },
    { title: "epochs", value: (r) => r.epochs?.length, show: (r) => count(r.epochs?.length) },
  ];
  const test = (r: TuneRun): number | null | undefined => r.test_accuracy ?? r.accuracy;
  if (runs.some((r) => isNumber(test(r))))
    columns.push({ title: "test accuracy", direction: "higher", value: test, show: (r) => fixed(test(r), 4) });
  if (runs.some((r) => isNumber(r.test_average_precision)))
    columns.push({
      title: "test average precision",
      direction: "higher",
      value: (r) => r.test_average_precision,
      show: (r) => fixed(r.test_average_precision, 4),
    });
  if (runs.some((r) => isNumber(r.test_mse)))
    columns.push({
      title: "test mean squared error",
      direction: "lower",
      value: (r) => r.test_mse,
      show: (r) => fixed(r.test_mse, 4),
    });
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
    ["Methods", count(new Set(runs.map(taught)).size)],
    ["Runs", count(runs.length)],
  ];
  if (result.dataset) facts.unshift(["Data", result.dataset]);
  if (result.target) facts.unshift(["Target", result.target]);
  return {
    title: "Tuning",
    verdict: tuneVerdict(result),
    facts,
    body: [
      charts([tuningChart(result)]),
      summaryTable(result),
      titled("All runs", "", tableSection({ name: "runs", caption: "Tuning runs", columns, rows: runs })),
      notes(result.failed, result.notes ?? []),
    ],
  };
}
