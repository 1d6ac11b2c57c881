// Task priors: mean of every model over all tasks against the variance, for one prior and temperature.
import type { ChartSpec } from "../chart";
import { choice } from "../controls";
import { amount, isNumber, plain } from "../format";
import type { PriorResult, PriorRow } from "../types";
import { type SpreadPoint, spreadChart } from "./spread";

const settingOf = (row: PriorRow): string => `${row.prior ?? "prior"}, T = ${plain(row.temperature)}`;

export function priorChart(result: PriorResult): ChartSpec {
  const settings = [...new Set(result.models.map(settingOf))];
  const hasProbe = result.models.some((r) => r.probe_r2);
  const state = { setting: settings[0]!, scale: hasProbe ? "probe" : "pair" };
  const rows = (): PriorRow[] => result.models.filter((r) => settingOf(r) === state.setting);
  const points = (): SpreadPoint[] =>
    rows().map((r) =>
      state.scale === "probe"
        ? { name: r.name, mean: r.probe_r2?.value ?? 0, spread: r.probe_r2?.sd ?? 0 }
        : state.scale === "pair"
        ? {
            name: r.name,
            mean: r.expectation_per_pair,
            spread: r.sd_per_pair,
            error: isNumber(r.expectation_standard_error) ? r.expectation_standard_error / (r.n * r.n) : null,
          }
        : { name: r.name, mean: r.expectation, spread: r.variance, error: r.expectation_standard_error },
    );
  const labels = (): [string, string] =>
    state.scale === "probe"
      ? ["probe R\u00b2", "standard deviation over sampled tasks"]
      : state.scale === "pair" ? ["mean of Tr(MG) per pair", "standard deviation per pair"] : ["E Tr(MG)", "Var Tr(MG)"];
  return {
    name: "task-prior",
    title: "Mean against spread over all tasks",
    wide: true,
    reading:
      "A good representation does well on average over the tasks the prior finds likely (right) and varies little between them (down). The share of variance a linear probe explains went best with measured probes; the other scales are the paper\u2019s. Closed forms are exact unless pairs were sampled; bars are then 95 % intervals.",
    alt: () => {
      const best = [...points()].sort((a, b) => b.mean - a.mean)[0];
      return `Scatter of ${points().length} models under ${state.setting}: mean against spread. Highest: ${best?.name}, ${amount(best?.mean)}.`;
    },
    draw: (width) => spreadChart(points(), ...labels(), width),
    controls: (redraw) => [
      choice(
        "Prior",
        settings.map((s) => ({ value: s, label: s })),
        state.setting,
        (setting) => {
          state.setting = setting;
          redraw();
        },
      ),
      choice(
        "Scale",
        [
          ...(hasProbe ? [{ value: "probe", label: "share a probe explains" }] : []),
          { value: "pair", label: "per pair of samples" },
          { value: "raw", label: "mean and variance as in the paper" },
        ],
        state.scale,
        (scale) => {
          state.scale = scale;
          redraw();
        },
      ),
    ],
    data: () => ({
      columns: ["name", "prior", "temperature", "expectation", "variance", "expectation_per_pair", "sd_per_pair"],
      rows: rows().map((r) => [
        r.name,
        r.prior,
        r.temperature,
        r.expectation,
        r.variance,
        r.expectation_per_pair,
        r.sd_per_pair,
      ]),
    }),
  };
}
