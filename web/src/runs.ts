// What runs of the same models have in common: who was ranked where, by whichever kind of result.
import { bestFirst } from "./charts/curves";
import { robustOrder } from "./charts/robust";
import type { EvaluateResult, PriorResult, ProbeResult, Provenance, RankModel, RankResult } from "./types";

export interface Shown {
  kind: string;
  result: any;
  source?: string;
}

export interface Placed {
  rank: number;
  low?: number | null; // the range of the rank, where it is known
  high?: number | null;
}

export interface Run {
  name: string;
  kind: string;
  places: Map<string, Placed>;
  provenance?: Provenance;
}

const inOrder = (names: string[]): Map<string, Placed> =>
  new Map([...new Set(names)].map((name, k) => [name, { rank: k + 1 }]));

// Best first, by kind; what is ranked may be models or, of an evaluation, metrics.
const kPlaces: Record<string, (result: any) => Map<string, Placed>> = {
  rank: (r: RankResult) =>
    new Map(
      r.models.map((m: RankModel, k) => [m.name, { rank: m.rank ?? k + 1, low: m.rank_low, high: m.rank_high }]),
    ),
  evaluate: (r: EvaluateResult) =>
    inOrder(
      Object.entries(r.metrics)
        .filter(([, q]) => !q.static)
        .sort((a, b) => (b[1].weighted_kendall ?? -2) - (a[1].weighted_kendall ?? -2))
        .map(([name]) => name),
    ),
  curve: (r) => inOrder(bestFirst(r).map((m) => m.name)),
  "robust score": (r) => inOrder(robustOrder(r).map((m) => m.name)),
  "prior score": (r: PriorResult) => inOrder(r.models.map((m) => m.name)),
  "prior probe": (r: ProbeResult) => inOrder([...r.models].sort((a, b) => b.mean - a.mean).map((m) => m.name)),
};

const file = (source: string | undefined): string => source?.split("/").pop()?.replace(/\.json$/, "") ?? "";

// File names, with as many of their folders as it takes to tell them apart.
export function runNames(all: Shown[]): string[] {
  const plain = all.map((one, k) => file(one.source) || `run ${k + 1}`);
  return plain.map((name, k) => {
    if (plain.filter((other) => other === name).length === 1) return name;
    const parts = (all[k]!.source ?? "").split("/");
    return parts.length > 1 ? `${parts[parts.length - 2]}/${name}` : `${name} (${k + 1})`;
  });
}

// Groups of results of one kind that rank at least two of the same.
export function comparable(all: Shown[]): Run[][] {
  const names = runNames(all);
  const groups = new Map<string, Run[]>();
  all.forEach((one, k) => {
    const places = kPlaces[one.kind]?.(one.result);
    if (!places || places.size < 2) return;
    const run = { name: names[k]!, kind: one.kind, places, provenance: one.result.provenance as Provenance };
    groups.set(one.kind, [...(groups.get(one.kind) ?? []), run]);
  });
  return [...groups.values()].filter((runs) => runs.length > 1 && inAll(runs).length > 1);
}

export const inAll = (runs: Run[]): string[] =>
  [...runs[0]!.places.keys()].filter((name) => runs.every((run) => run.places.has(name)));

// Kendall's tau between two orders of the same names.
export function orderTau(a: Run, b: Run, names: string[]): number {
  let sum = 0;
  const at = (run: Run, name: string): number => run.places.get(name)!.rank;
  for (let i = 0; i < names.length; ++i)
    for (let j = 0; j < i; ++j)
      sum += Math.sign(at(a, names[i]!) - at(a, names[j]!)) * Math.sign(at(b, names[i]!) - at(b, names[j]!));
  return sum / ((names.length * (names.length - 1)) / 2);
}

const text = (value: unknown): string => (value === undefined || value === null ? "\u2013" : String(value));

// What differed in how the runs were made: one row per thing that is not the same in all.
export function differences(runs: Run[]): { what: string; values: string[] }[] {
  const rows: { what: string; values: string[] }[] = [];
  const add = (what: string, of: (p: Provenance) => unknown): void => {
    const values = runs.map((run) => text(run.provenance ? of(run.provenance) : undefined));
    if (new Set(values).size > 1) rows.push({ what, values });
  };
  add("Assay", (p) => p.version);
  add("Command", (p) => (p.command ?? []).slice(1).join(" "));
  add("Seed", (p) => p.seed);
  add("Threads", (p) => p.threads);
  add("Time", (p) => p.time?.replace("T", " ").replace("Z", " UTC"));
  const files = [...new Set(runs.flatMap((run) => Object.keys(run.provenance?.inputs ?? {})))];
  for (const name of files) add(name, (p) => p.inputs?.[name]);
  return rows;
}
