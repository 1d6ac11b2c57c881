// A run that is not over: how far it is, and what it has done. The page reads itself anew until the result is there.
import { el } from "../dom";
import { percent, seconds } from "../format";
import { titled } from "./parts";

export interface Running {
  state: "running" | "stopped";
  command: string[];
  done: number;
  elapsed: number;
  started: number; // Unix time
  written: number;
  every: number;
  steps: { what: string; at: number }[];
}

function sentence(run: Running, silent: number): string {
  if (run.state === "stopped")
    return `The run ended after ${seconds(run.elapsed)} without a result; the terminal says why.`;
  const left = run.done > 0.01 ? (run.elapsed * (1 - run.done)) / run.done : null;
  const rest = left === null ? "the time left is not known yet" : `about ${seconds(left)} left`;
  return silent > 60 * 5
    ? `Nothing was heard of this run for ${seconds(silent)}; it may have been ended. It was ${percent(run.done)} done.`
    : `${percent(run.done)} done after ${seconds(run.elapsed)}, ${rest}.`;
}

export function runningArticle(run: Running): HTMLElement {
  const silent = Math.max(0, Date.now() / 1000 - run.written);
  const bar = el("progress", { max: 1, value: run.done, "aria-label": "Progress of the run" });
  const recent = [...run.steps].reverse().slice(0, 25);
  if (run.state === "running") setTimeout(() => location.reload(), 1000 * run.every);
  return el(
    "article",
    {},
    el("h1", {}, run.state === "running" ? "A run is going on" : "A run has ended"),
    el("p", { class: "verdict", role: "status" }, sentence(run, silent)),
    run.state === "running" ? bar : null,
    el("p", { class: "more" }, "This page is written anew every few seconds; the result will take its place."),
    titled(
      "Command",
      "",
      el("code", {}, [run.command[0]?.split("/").pop() ?? "assay", ...run.command.slice(1)].join(" ")),
    ),
    titled(
      "Steps, latest first",
      "",
      el(
        "ul",
        { class: "steps" },
        ...recent.map((step) => el("li", {}, el("span", { class: "note" }, seconds(step.at)), " ", step.what)),
      ),
    ),
  );
}
