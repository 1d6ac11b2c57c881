// The answer in words, on top. Ranking and curves bring their own; the others are told from their numbers.
import { amount, count, fixed, isNumber, listed, percent, plain, plural } from "./format";
import { bestFirst, lossUnit } from "./charts/curves";
import { judgedAt, robustOrder, robustValue, scoreAt } from "./charts/robust";
import {
  type CurveResult,
  type EvaluateResult,
  type PriorResult,
  type PriorRow,
  type ProbeResult,
  type Quality,
  type RankResult,
  type RobustResult,
  type RobustScore,
  type SampleResult,
  type TuneResult,
  taught,
} from "./types";

export function rankVerdict(result: RankResult): string {
  return result.verdict ?? `${result.models[0]?.name ?? "No model"} ranks first by ${result.by}.`;
}

export function curveVerdict(result: CurveResult): string {
  if (result.answer) return result.answer;
  const [best, second] = bestFirst(result);
  if (!best) return "There is no curve.";
  const esc = best.esc[0];
  const loss = `a loss of ${amount(best.va)} ${lossUnit(result)} at ${count(best.n)} labels`;
  if (!esc)
    return `${best.name} ends lowest, with ${loss}${second ? `; ${second.name} with ${amount(second.va)}` : ""}.`;
  if (esc.lower_bound)
    return `No model reaches a loss of ${plain(esc.epsilon)} with ${count(best.n)} labels; ${best.name} comes closest, with ${loss}.`;
  const other = second?.esc[0];
  const rest = !other
    ? ""
    : other.lower_bound
      ? `; no other model does with ${count(other.value)}`
      : `; ${second!.name} needs ${count(other.value)}`;
  return `${best.name} reaches a loss of ${plain(esc.epsilon)} ${lossUnit(result)} with ${count(esc.value)} labels${rest}.`;
}

export function evaluateVerdict(result: EvaluateResult): string {
  if (result.verdict) return result.verdict;
  const rows = Object.entries(result.metrics).filter(([, q]) => isNumber(q.weighted_kendall)) as [string, Quality][];
  const byTau = (list: [string, Quality][]) =>
    [...list].sort((a, b) => b[1].weighted_kendall! - a[1].weighted_kendall!);
  const [best] = byTau(rows.filter(([, q]) => !q.static));
  if (!best) return "Nothing to compare: fewer than two models have both a score and a truth.";
  const [baseline] = byTau(rows.filter(([, q]) => q.static));
  const q = best[1];
  const text = `${best[0]} has the highest agreement with the measured ${result.truth_column}, not tested against the others: weighted \u03c4 ${fixed(q.weighted_kendall, 2)}, ${percent(q.agreement)} of the pairs in the right order${isNumber(q.regret1) ? `, a regret of ${fixed(q.regret1, 4)} for taking its first choice` : ""}.`;
  return baseline
    ? `${text} The best static column, ${baseline[0]}, has ${fixed(baseline[1].weighted_kendall, 2)}.`
    : text;
}

export function priorVerdict(result: PriorResult): string {
  const settings = new Map<string, string>(); // setting -> best; the rows come best first
  // A model is no judge of itself, as long as there are others.
  const others = result.models.filter((r) => !r.own_prior);
  for (const row of others.length > 0 ? others : result.models) {
    const key = `${row.prior}\u0000${row.temperature}`;
    if (!settings.has(key)) settings.set(key, row.name);
  }
  const winners = [...new Set(settings.values())];
  const [first] = others.length > 0 ? others : result.models;
  if (!first) return "There is no score.";
  if (winners.length === 1) {
    const where =
      settings.size === 1
        ? `under the prior ${first.prior ?? ""}`
        : `under all ${settings.size} combinations of prior and temperature`;
    const second = others.find((r) => r !== first && r.prior === first.prior && r.temperature === first.temperature);
    const aside = others.length < result.models.length ? " The prior\u2019s own model is left aside." : "";
    // Closed forms have no error for the rows at hand, and say nothing of other rows.
    const limit = second ? " The values are exact for these rows; whether other rows would keep the order was not tried." : "";
    if (first.probe_r2) {
      const share = (r: PriorRow): string => `${fixed(100 * r.probe_r2!.value, 1)} %`;
      const spread = isNumber(first.probe_r2.sd) ? `, with a spread of ${fixed(100 * first.probe_r2.sd, 1)} points from task to task` : "";
      const next = second?.probe_r2 ? `; ${second.name} follows with ${share(second)}` : "";
      return `A linear probe on ${first.name} explains most of the likely tasks, ${where}: ${share(first)} of their variance on rows it has not seen${spread}${next}.${aside}${limit}`;
    }
    const next = second ? `; ${second.name} follows with ${amount(second.expectation_per_pair)}` : "";
    return `${first.name} has the highest mean over all tasks, ${where}: ${amount(first.expectation_per_pair)} per pair, give or take ${amount(first.sd_per_pair)} from task to task${next}.${aside}${limit}`;
  }
  const wins = winners.map((name) => `${name} (${[...settings.values()].filter((v) => v === name).length})`);
  return `Which model does best over all tasks depends on the prior and its temperature: of ${settings.size} combinations, ${listed(wins)} come first.`;
}

export function sampleVerdict(result: SampleResult): string {
  const alike = isNumber(result.mean_ari)
    ? ` Two of them have an adjusted Rand index of ${fixed(result.mean_ari, 2)} on average: 0 is nothing in common, 1 the same task.`
    : "";
  const balance = result.class_balance
    ? ` The largest class holds ${fixed(100 * result.class_balance.largest, 0)} % of the samples on average.`
    : "";
  return `${plural(result.tasks, "task")} of ${result.classes} classes were drawn at temperature ${plain(result.temperature)}.${alike}${balance}`;
}

export function probeVerdict(result: ProbeResult): string {
  if (result.verdict) return result.verdict;
  const order = [...result.models].sort((a, b) => b.mean - a.mean);
  const [best, second] = order;
  if (!best) return "There is no model.";
  return `${best.name} has the highest mean held-out accuracy over ${plural(result.tasks, "sampled task")}, ${fixed(best.mean)}${second ? `, before ${second.name} with ${fixed(second.mean)}` : ""}; whether they are separable was not tested. Always naming the commonest class would give ${fixed(result.chance)}.`;
}

// Results of earlier versions bring no verdict: without tests nothing is called best.
export function robustVerdict(result: RobustResult): string {
  if (result.verdict) return result.verdict;
  const { epsilon, threshold } = judgedAt(result);
  const [first] = robustOrder(result).filter((m) => isNumber(robustValue(scoreAt(m, threshold, epsilon))));
  if (!first) return "No score could be found for any model.";
  const score = scoreAt(first, threshold, epsilon)!;
  return `${first.name} has the highest score at \u03b5 = ${epsilon} and a threshold accuracy of ${threshold}: ${withError(score)}, where 1 is the raw data. Whether it is separable from the others was not tested.`;
}

const withError = (score: RobustScore): string =>
  isNumber(score.calibrated_se)
    ? `${fixed(robustValue(score))} \u00b1 ${fixed(1.96 * score.calibrated_se)}`
    : fixed(robustValue(score));

export function tuneVerdict(result: TuneResult): string {
  if (result.verdict) return result.verdict;
  const methods = [...new Set((result.runs ?? []).map(taught))];
  const final = (method: string): number | null => {
    const values = (result.runs ?? [])
      .filter((r) => taught(r) === method)
      .map(
        (r) =>
          r.test_accuracy ??
          r.accuracy ??
          [...(r.epochs ?? [])].reverse().find((e) => isNumber(e.validation_accuracy))?.validation_accuracy,
      )
      .filter(isNumber);
    return values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : null;
  };
  const order = methods
    .map((m) => ({ m, v: final(m) }))
    .filter((x) => x.v !== null)
    .sort((a, b) => b.v! - a.v!);
  const [best, second] = order;
  if (!best) return "No accuracy was measured.";
  return `${best.m} ends highest, with a mean accuracy of ${fixed(best.v)}${second ? `; ${second.m} follows with ${fixed(second.v)}; whether they are separable was not tested` : ""}.`;
}

// The first sentence is the answer; what follows is set smaller.
export function splitVerdict(text: string): [string, string] {
  const end = text.search(/\. [A-Z\u00c0-\u00de]/);
  return end < 0 ? [text, ""] : [text.slice(0, end + 1), text.slice(end + 2)];
}
