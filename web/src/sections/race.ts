import { raceChart } from "../charts/race";
import { count, fixed, isNumber, percent, seconds } from "../format";
import { type Column, tableSection } from "../table";
import type { RaceModel, RaceResult } from "../types";
import { type Section, charts, notes, titled } from "./parts";

const kStates: Record<string, string> = {
  contender: "may be the best",
  dropped: "not the best",
  set_aside: "set aside for want of budget",
  untried: "not tried",
};

function columns(result: RaceResult): Column<RaceModel>[] {
  const last = (m: RaceModel) => m.looks[m.looks.length - 1];
  const signed = (v: number | null | undefined): string => (isNumber(v) ? `${v < 0 ? "" : "+"}${fixed(v, 4)}` : "\u2013");
  return [
    { title: "model", text: true, value: (m) => m.name },
    { title: "rank", direction: "lower", value: (m) => m.rank, show: (m) => String(m.rank) },
    { title: "reported", text: true, value: (m) => (m.reported ? "yes" : "") },
    { title: "what is known", text: true, value: (m) => kStates[m.state] ?? m.state },
    { title: "samples seen", value: (m) => m.samples, show: (m) => count(m.samples) },
    {
      title: result.by,
      unit: result.metrics[result.by]?.unit,
      direction: result.metrics[result.by]?.direction,
      value: (m) => last(m)?.value,
      show: (m) => fixed(last(m)?.value, 4),
      hint: "on the samples that this model has seen: not comparable between different numbers of them",
    },
    { title: "to the leader", value: (m) => last(m)?.difference, show: (m) => signed(last(m)?.difference) },
    {
      title: "at most",
      value: (m) => last(m)?.high,
      show: (m) => signed(last(m)?.high),
      hint: "upper bound of the difference on all samples, for all models and looks together; below 0 the model is dropped",
    },
    { title: "time", value: (m) => m.seconds, show: (m) => seconds(m.seconds) },
    { title: "time saved", value: (m) => m.seconds_saved, show: (m) => seconds(m.seconds_saved), hint: "an estimate" },
  ];
}

export function raceSection(result: RaceResult): Section {
  const race = result.race;
  return {
    title: "A race through the hub",
    verdict: result.verdict ?? "",
    facts: [
      ["Models", count(result.models.length)],
      ["Samples", count(race.samples)],
      ["Raced by", result.by],
      ["Budget", race.budget],
      [race.passes_of === "images" ? "Images run" : "Rows scored", `${count(race.passes)} of ${count(race.full_passes)} (${percent(race.passes / Math.max(1, race.full_passes))})`],
      ["Time", `${seconds(race.seconds)}, about ${seconds(race.seconds_saved)} saved`],
    ],
    body: [
      charts([raceChart(result)]),
      titled("Models", "", tableSection({ name: "race", caption: "Models and where they left", columns: columns(result), rows: result.models })),
      notes(result.failed, result.notes ?? []),
    ],
  };
}
