// Runs of the same models side by side: who moved, which verdicts changed, what differed in how they were made.
import { slopeChart } from "../charts/slope";
import { el } from "../dom";
import { count, fixed, isNumber, listed, plural } from "../format";
import { type Run, differences, inAll, orderTau } from "../runs";
import { type Column, tableSection } from "../table";
import { splitVerdict } from "../verdict";
import { type Section, charts, titled } from "./parts";

interface Row {
  name: string;
  runs: Run[];
}

const winner = (run: Run, names: string[]): string =>
  [...names].sort((a, b) => run.places.get(a)!.rank - run.places.get(b)!.rank)[0]!;

// Ranges of ranks that do not meet: more than chance, as far as each run knows.
function apart(runs: Run[], name: string): boolean | null {
  const places = runs.map((run) => run.places.get(name)!);
  if (!places.every((p) => isNumber(p.low) && isNumber(p.high))) return null;
  return places.some((a) => places.some((b) => a.low! > b.high!));
}

function summary(runs: Run[], names: string[]): string {
  const winners = [...new Set(runs.map((run) => winner(run, names)))];
  const moved = names.filter((name) => new Set(runs.map((run) => run.places.get(name)!.rank)).size > 1);
  const beyond = moved.filter((name) => apart(runs, name) === true);
  const known = moved.every((name) => apart(runs, name) !== null);
  const first =
    winners.length === 1
      ? `${winners[0]} comes first in all ${runs.length} runs.`
      : `First is ${listed(runs.map((run) => `${winner(run, names)} in ${run.name}`))}.`;
  const what = runs[0]!.kind === "evaluate" ? "metric" : "model";
  const changes =
    moved.length === 0
      ? `All ${count(names.length)} ${what}s keep their rank.`
      : `${plural(moved.length, what)} of ${count(names.length)} changed ${moved.length === 1 ? "its" : "their"} rank${
          known
            ? beyond.length === 0
              ? "; none by more than the ranges of the ranks allow for"
              : `; ${beyond.length} by more than the ranges of the ranks allow for: ${listed(beyond.slice(0, 5))}${beyond.length > 5 ? " and others" : ""}`
            : "; without ranges it is not known which changes are real"
        }.`;
  const tau = runs.length === 2 ? ` Kendall\u2019s \u03c4 between the orders is ${fixed(orderTau(runs[0]!, runs[1]!, names), 2)}.` : "";
  return `${first} ${changes}${tau}`;
}

function ranksTable(runs: Run[], names: string[]): HTMLElement {
  const place = (run: Run, name: string): string => {
    const p = run.places.get(name)!;
    return isNumber(p.low) && isNumber(p.high) && p.low !== p.high ? `${p.rank} (${p.low}\u2013${p.high})` : String(p.rank);
  };
  const columns: Column<Row>[] = [
    { title: runs[0]!.kind === "evaluate" ? "metric" : "model", text: true, value: (r) => r.name },
    ...runs.map((run) => ({
      title: run.name,
      unit: "rank",
      direction: "lower",
      value: (r: Row) => run.places.get(r.name)!.rank,
      show: (r: Row) => place(run, r.name),
    })),
    {
      title: "moved",
      unit: "places",
      direction: "higher",
      value: (r) => {
        const ranks = r.runs.map((run) => run.places.get(r.name)!.rank);
        return Math.max(...ranks) - Math.min(...ranks);
      },
    },
    {
      title: "more than chance",
      text: true,
      value: (r) => {
        const real = apart(r.runs, r.name);
        return real === null ? "not known" : real ? "yes" : "no";
      },
      hint: "yes where the ranges of the rank in two runs do not meet",
    },
  ];
  return tableSection({
    name: "compared",
    caption: "Ranks in every run",
    columns,
    rows: names.map((name) => ({ name, runs })),
  });
}

function verdicts(runs: Run[], texts: string[]): HTMLElement {
  const same = new Set(texts).size === 1;
  return titled(
    "Verdicts",
    same ? "The same in all runs." : "",
    el(
      "dl",
      { class: "verdicts" },
      ...runs.map((run, k) =>
        el("div", {}, el("dt", {}, run.name), el("dd", {}, splitVerdict(texts[k] ?? "")[0])),
      ),
    ),
  );
}

function provenanceTable(runs: Run[]): HTMLElement {
  const rows = differences(runs);
  const onlySome = runs
    .map((run) => ({ run, extra: [...run.places.keys()].filter((name) => !runs.every((r) => r.places.has(name))) }))
    .filter((one) => one.extra.length > 0);
  const missing = onlySome.map(({ run, extra }) =>
    el("p", { class: "note" }, `Not in every run, but in ${run.name}: ${listed(extra.slice(0, 12))}${extra.length > 12 ? ` and ${extra.length - 12} more` : ""}.`),
  );
  if (rows.length === 0)
    return titled("What differed", "Nothing: version, command, seed and inputs are the same.", ...missing);
  return titled(
    "What differed",
    "In how the runs were made; what is not listed is the same.",
    tableSection({
      name: "differences",
      caption: "Differences of provenance",
      columns: [
        { title: "what", text: true, value: (r: { what: string }) => r.what },
        ...runs.map((run, k) => ({
          title: run.name,
          text: true,
          value: (r: { values: string[] }) => r.values[k],
          show: (r: { values: string[] }) => el("span", { title: r.values[k] ?? null }, r.values[k] ?? ""),
        })),
      ] as Column<{ what: string; values: string[] }>[],
      rows,
    }),
    ...missing,
  );
}

export function compareSection(runs: Run[], texts: string[]): Section {
  const names = inAll(runs);
  return {
    title: "What changed between the runs",
    verdict: summary(runs, names),
    facts: [
      ["Runs", count(runs.length)],
      ["Kind", runs[0]!.kind],
      ["In all of them", plural(names.length, runs[0]!.kind === "evaluate" ? "metric" : "model")],
    ],
    body: [
      charts([slopeChart(runs)]),
      verdicts(runs, texts),
      titled("Every rank", "In brackets the range the rank lies in, where it is known.", ranksTable(runs, names)),
      provenanceTable(runs),
    ],
  };
}
