// Every model with its interval, best on top; what cannot be told apart shares a band.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { choice, search, toggle } from "../controls";
import { el, svg } from "../dom";
import { amount, better, interval, isNumber, percent } from "../format";
import { nameAxis, nameMargin } from "../labels";
import { drawn, kDot, tipOptions } from "../plot";
import { ink } from "../theme";
import type { RankModel, RankResult } from "../types";

interface Row {
  name: string;
  value: number;
  low: number | null;
  high: number | null;
  group: number;
  control: boolean;
}

const kPlaces = "rank";
const kMost = 40;
const kFilterFrom = 12; // fewer are read at a glance

const matches = (name: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));

function rowOf(model: RankModel, view: string, control: boolean): Row {
  const score = model.scores?.[view];
  const [value, low, high] =
    view === kPlaces ? [model.rank, model.rank_low, model.rank_high] : [score?.value, score?.low, score?.high];
  const spread = isNumber(score?.sd) && isNumber(value) ? [value - score!.sd!, value + score!.sd!] : [null, null];
  return {
    name: control ? `${model.name} (control)` : model.name,
    value: value ?? NaN,
    low: low ?? spread[0] ?? null,
    high: high ?? spread[1] ?? null,
    group: model.tie_group ?? 0,
    control,
  };
}

// A band behind the models that are not separable from the winner. No other band: members of
// different groups need not be separable.
function bands(rows: Row[]): Plot.Markish {
  return (_index: unknown, scales: any, _values: unknown, dimensions: any) => {
    const group = svg("g", { "aria-hidden": "true" });
    const step = scales.y.step ? scales.y.step() : scales.y.bandwidth();
    let start = 0;
    for (let k = 1; k <= rows.length; ++k) {
      if (k < rows.length && (rows[k]!.group === 1) === (rows[start]!.group === 1) && rows[k]!.control === rows[start]!.control)
        continue;
      const top = (scales.y(rows[start]!.name) as number) - step / 2;
      if (!rows[start]!.control && rows[start]!.group === 1)
        group.append(
          svg("rect", { x: 0, y: top, width: dimensions.width, height: step * (k - start), fill: ink.band, rx: 3 }),
        );
      start = k;
    }
    return group;
  };
}

export function rankingChart(result: RankResult): ChartSpec {
  const level = percent(result.confidence);
  const tied = result.models.some((m) => isNumber(m.rank_low));
  const views = [
    ...(tied ? [{ value: kPlaces, label: "rank and its range" }] : []),
    ...Object.keys(result.metrics).map((m) => ({ value: m, label: m })),
  ];
  const state = {
    view:
      tied && result.by === "consensus"
        ? kPlaces
        : (views.find((v) => v.value === result.by)?.value ?? views[0]!.value),
    all: result.models.length <= kMost,
    filter: "",
  };
  const matching = (): RankModel[] => result.models.filter((m) => matches(m.name, state.filter));
  const rows = (): Row[] => {
    const models = state.all ? matching() : matching().slice(0, kMost);
    const controls = state.view === kPlaces ? [] : (result.controls ?? []);
    return [...models.map((m) => rowOf(m, state.view, false)), ...controls.map((m) => rowOf(m, state.view, true))];
  };
  const folded = (): string => {
    const [shown, all] = [state.all ? matching().length : Math.min(kMost, matching().length), result.models.length];
    return shown < all ? `${shown} of ${all} models shown` : "";
  };
  // Where guessing stands, of metrics that know.
  const guessing = (): number | null | undefined =>
    state.view === kPlaces ? null : result.models[0]?.scores?.[state.view]?.chance;
  const unit = (): string => result.metrics[state.view]?.unit ?? "";
  const direction = (): string => (state.view === kPlaces ? "lower" : (result.metrics[state.view]?.direction ?? ""));

  const draw = (width: number): SVGSVGElement => {
    const list = rows();
    const margin = nameMargin(
      list.map((r) => r.name),
      width,
    );
    const xs = list.flatMap((r) => [r.value, r.low, r.high]).filter(isNumber);
    const guess = guessing();
    const first = list.filter((r) => r.group === 1 && !r.control && tied).map((r) => r.name);
    const color = (r: Row): string =>
      r.control ? ink.soft : first.includes(r.name) || (!tied && r.name === list[0]?.name) ? ink.accent : ink.text;
    return drawn({
      width,
      height: 24 * list.length + 66,
      marginLeft: margin,
      marginRight: 20,
      marginTop: isNumber(guess) ? 18 : 6,
      marginBottom: 44,
      y: { type: "point", domain: list.map((r) => r.name), axis: null, padding: 0.5 },
      x: {
        label:
          state.view === kPlaces
            ? `rank by ${result.by === "consensus" ? "the consensus" : result.by}, with the range it lies in at ${level} confidence`
            : `${state.view}${unit() ? ` (${unit()})` : ""}, ${better(direction())}`,
        labelAnchor: "left",
        labelArrow: "none",
        labelOffset: 38,
        nice: state.view !== kPlaces,
        domain: state.view === kPlaces ? [0.5, Math.max(...xs) + 0.5] : undefined,
        tickFormat: state.view === kPlaces ? "d" : undefined,
        ticks: state.view === kPlaces ? Math.min(width < 500 ? 6 : 12, Math.max(...xs)) : width < 500 ? 4 : undefined,
      },
      marks: [
        tied ? bands(list) : null,
        Plot.gridX(state.view === kPlaces ? { ticks: Math.min(width < 500 ? 6 : 12, Math.max(...xs)) } : {}),
        nameAxis(
          list.map((r) => r.name),
          margin,
        ),
        isNumber(guess) ? Plot.ruleX([guess], { stroke: ink.soft, strokeDasharray: "5,4" }) : null,
        isNumber(guess)
          ? Plot.text([guess], { x: (g: number) => g, text: () => "guessing", frameAnchor: "top", dy: -6, fill: ink.soft })
          : null,
        Plot.ruleY(
          list.filter((r) => isNumber(r.low) && isNumber(r.high)),
          {
            y: "name",
            x1: "low",
            x2: "high",
            stroke: color,
            strokeWidth: 3,
            strokeOpacity: 0.35,
            strokeLinecap: "round",
          },
        ),
        Plot.dot(
          list.filter((r) => isNumber(r.value)),
          {
            y: "name",
            x: "value",
            r: kDot,
            fill: (r: Row) => (r.control ? ink.paper : color(r)),
            stroke: color,
            strokeWidth: 1.5,
          },
        ),
        Plot.tip(
          list.filter((r) => isNumber(r.value)),
          Plot.pointerY({
            y: "name",
            x: "value",
            title: (r: Row) =>
              `${r.name}\n${state.view} ${amount(r.value)}${isNumber(r.low) ? `\n${interval(r.low, r.high)}` : ""}`,
            ...tipOptions,
          }),
        ),
      ],
    });
  };

  const note = el("span", { class: "note", role: "status" });
  const show = (): void => void (note.textContent = folded());
  show();
  return {
    name: "ranking",
    title: "Ranking",
    wide: true,
    reading: tied
      ? `A dot is a model, its bar the ${level} interval of that model by itself. Coloured models on the band are not separable from the winner: all pairs are compared sample by sample, together at ${level} confidence, so bars may overlap where two models are separable. About other pairs the colours say nothing.`
      : "A dot is a model. Without intervals it is not known which differences are real.",
    alt: () => {
      const [best, second] = rows();
      const tiedWith = result.models.filter((m) => m.tie_group === 1).length;
      return `Dot chart of ${result.models.length} models by ${state.view}. First is ${best?.name} with ${amount(best?.value)}${second ? `, then ${second.name} with ${amount(second.value)}` : ""}.${tied && tiedWith > 1 ? ` ${tiedWith} models are not separable from the winner, itself included.` : ""}`;
    },
    draw,
    controls: (redraw) => [
      choice("Show", views, state.view, (view) => {
        state.view = view;
        redraw();
      }),
      result.models.length > kMost
        ? toggle(`All ${result.models.length} models`, false, (all) => {
            state.all = all;
            show();
            redraw();
          })
        : null,
      result.models.length > kFilterFrom
        ? search("Filter models", (text) => {
            state.filter = text;
            show();
            redraw();
          })
        : null,
      note,
    ],
    data: () => ({
      columns: ["name", state.view, "low", "high", "tie_group"],
      rows: rows().map((r) => [r.name, r.value, r.low, r.high, r.control ? null : r.group]),
    }),
  };
}
