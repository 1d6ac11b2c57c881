// Loss-data curves: how the loss falls with labels, the surplus above a tolerance, and where it is met.
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { Series, choice } from "../controls";
import { amount, count, fixed, isNumber, plain, rough, tick } from "../format";
import { endLabels, endMargin } from "../labels";
import { drawn, logTicks, padded, tipOptions } from "../plot";
import { ink } from "../theme";
import type { CurveModel, CurveResult, LabelsNeeded } from "../types";

interface Point {
  name: string;
  n: number;
  y: number;
  low: number | null;
  high: number | null;
}

const kUnits: Record<string, string> = {
  nll: "nats per sample",
  "zero-one": "share of errors",
  zero_one: "share of errors",
  mse: "squared error",
};
export const lossUnit = (result: CurveResult): string => kUnits[result.loss] ?? result.loss;

// What was asked for, if anything was: the page answers that first.
interface Asked {
  what: "accuracy" | "loss";
  value: number;
  need: (m: CurveModel) => LabelsNeeded | undefined;
}

function askedFor(result: CurveResult): Asked | null {
  for (const what of ["accuracy", "loss"] as const) {
    const need = (m: CurveModel) => (what === "accuracy" ? m.target_accuracy : m.target_loss);
    const found = result.models.map(need).find((n) => n !== undefined);
    if (found) return { what, value: found.target, need };
  }
  return null;
}

// By the labels that the target asked for needs; without one, those that reach the first tolerance first, then the smaller surplus.
export function bestFirst(result: CurveResult): CurveModel[] {
  const asked = askedFor(result);
  const key = (m: CurveModel): [boolean, number] => {
    const need = asked?.need(m);
    return need ? [need.lower_bound, need.labels] : surplusKey(m);
  };
  const surplusKey = (m: CurveModel): [boolean, number] =>
    m.sdl.length > 0 ? [m.sdl[0]!.lower_bound, m.sdl[0]!.value] : [false, m.va];
  return [...result.models].sort((a, b) => Number(key(a)[0]) - Number(key(b)[0]) || key(a)[1] - key(b)[1]);
}

export function curvesChart(result: CurveResult): ChartSpec {
  const models = bestFirst(result);
  const accuracies = models.some((m) => m.curve.some((p) => isNumber(p.accuracy)));
  const series = new Series(
    models.map((m) => m.name),
    4,
  );
  const asked = askedFor(result);
  const foretold = models.some((m) => (m.forecast ?? []).length > 0);
  const beyond = foretold && asked?.need(models[0]!)?.reach === "extrapolated";
  // A tolerance that nobody named is drawn on demand only.
  const state = { what: asked?.what ?? "loss", area: models[0]!.name, epsilon: asked ? -1 : 0, ahead: beyond ? "forecast" : "measured" };
  const points = (): Point[] =>
    models.flatMap((m) =>
      m.curve.flatMap((p) => {
        const y = state.what === "loss" ? p.loss : p.accuracy;
        if (!isNumber(y)) return [];
        if (state.what === "loss" && isNumber(p.loss_low) && isNumber(p.loss_high))
          return [{ name: m.name, n: p.n, y, low: Math.max(p.loss_low, 0.5 * y), high: p.loss_high }];
        const sd = state.what === "loss" && isNumber(p.loss_sd) && p.loss_sd > 0 ? p.loss_sd : null;
        return [{ name: m.name, n: p.n, y, low: sd ? Math.max(y - sd, 0.5 * y) : null, high: sd ? y + sd : null }];
      }),
    );

  // The fan beyond the data, from the last size measured.
  const fan = (): Point[] =>
    state.what !== "loss" || state.ahead !== "forecast"
      ? []
      : models.flatMap((m) => {
          const last = m.curve[m.curve.length - 1];
          if (!series.color(m.name) || !last || !m.forecast?.length || !(last.loss > 0)) return [];
          const start = {
            name: m.name,
            n: last.n,
            y: last.loss,
            low: last.loss_low ?? last.loss,
            high: last.loss_high ?? last.loss,
          };
          const ahead = m.forecast
            .filter((f) => f.loss > 0)
            .map((f) => ({ name: m.name, n: f.n, y: f.loss, low: f.low, high: f.high }));
          // A log axis has no room for a loss of next to nothing.
          return [start, ...ahead].map((p) => ({ ...p, low: Math.max(p.low, 0.2 * p.y) }));
        });

  // What the left rule integrates: between two sizes the loss is that of the smaller one.
  const surplus = (epsilon: number): Plot.Markish[] => {
    const model = models.find((m) => m.name === state.area)!;
    const complexity = model.esc[state.epsilon];
    const color = series.color(model.name) ?? ink.accent;
    const steps = model.curve.filter((p) => p.loss > 0).map((p) => ({ n: p.n, top: Math.max(p.loss, epsilon) }));
    const met = complexity && !complexity.lower_bound ? model.curve.find((p) => p.n === complexity.value) : undefined;
    const curve = result.rule === "left" ? "step-after" : result.rule === "right" ? "step-before" : "linear";
    return [
      Plot.areaY(steps, { x: "n", y1: epsilon, y2: "top", curve, fill: color, fillOpacity: 0.16 }),
      met && Plot.ruleX([met], { x: "n", y1: epsilon, y2: met.loss, stroke: color, strokeWidth: 1.5 }),
      met && Plot.dot([met], { x: "n", y: "loss", r: 7, fill: ink.paper, stroke: color, strokeWidth: 2.5 }),
      met &&
        Plot.text([met], {
          x: "n",
          y: "loss",
          text: () => `\u03b5SC ${count(met.n)} labels`,
          dx: -12,
          dy: 14,
          textAnchor: "end",
          fill: color,
          stroke: ink.paper,
          strokeWidth: 4,
          fontWeight: 600,
        }),
    ];
  };

  // The target where it was asked for, and where the first model meets it.
  const targetMarks = (x: [number, number], roomy: boolean): Plot.Markish[] => {
    if (!asked || state.what !== asked.what) return [];
    const need = asked.need(models[0]!);
    const color = series.color(models[0]!.name) ?? ink.accent;
    const within = (n: number): number => Math.min(Math.max(n, x[0]), x[1]);
    const met = need && !need.lower_bound && need.labels <= x[1] ? [need] : [];
    return [
      Plot.ruleY([asked.value], { stroke: ink.text, strokeDasharray: "5,4" }),
      Plot.text([asked.value], {
        y: (v: number) => v,
        frameAnchor: "left",
        dx: 8,
        dy: asked.what === "loss" ? 10 : -8,
        text: () => `asked: ${asked.what} ${plain(asked.value)}`,
        fill: ink.text,
        stroke: ink.paper,
        strokeWidth: 4,
      }),
      Plot.ruleY(
        met.filter((n) => isNumber(n.low) && isNumber(n.high)),
        {
          x1: (n: LabelsNeeded) => within(n.low!),
          x2: (n: LabelsNeeded) => within(n.high!),
          y: asked.value,
          stroke: color,
          strokeWidth: 5,
          strokeOpacity: 0.4,
        },
      ),
      Plot.dot(met, { x: "labels", y: asked.value, r: 7, fill: ink.paper, stroke: color, strokeWidth: 2.5 }),
      Plot.text(roomy ? met : [], {
        x: "labels",
        y: asked.value,
        text: (n: LabelsNeeded) => `about ${rough(n.labels)} labels`,
        dx: -6,
        dy: asked.what === "loss" ? 16 : -16,
        textAnchor: "end",
        fill: color,
        stroke: ink.paper,
        strokeWidth: 4,
        fontWeight: 600,
      }),
    ];
  };

  const draw = (width: number): SVGSVGElement => {
    const loss = state.what === "loss";
    const list = points().filter((p) => !loss || p.y > 0);
    const strong = list.filter((p) => series.color(p.name));
    const color = (p: { name: string }): string => series.color(p.name)!;
    const ends = models.flatMap((m) => {
      const last = list.filter((p) => p.name === m.name).pop();
      return last && series.color(m.name) ? [{ x: last.n, y: last.y, text: m.name, color: series.color(m.name)! }] : [];
    });
    const epsilon = result.epsilon[state.epsilon];
    const ahead = fan();
    const ns = [...list, ...ahead].map((p) => p.n);
    const xDomain: [number, number] = [Math.min(...ns), Math.max(...ns)];
    const yDomain = padded(
      [
        ...list.map((p) => p.y),
        ...ahead.flatMap((p) => [p.low ?? p.y, p.high ?? p.y]),
        ...(loss && epsilon !== undefined && epsilon > 0 ? [epsilon] : []),
        ...(asked?.what === state.what && (!loss || asked.value > 0) ? [asked.value] : []),
      ],
      0.04,
      loss,
    );
    return drawn({
      width,
      height: Math.min(480, Math.max(300, 0.5 * width)),
      marginLeft: 60,
      marginRight: endMargin(
        ends.map((e) => e.text),
        width,
      ),
      marginBottom: 46,
      x: {
        type: "log",
        label: "labelled samples (log scale)",
        grid: true,
        labelArrow: "none",
        labelOffset: 40,
        labelAnchor: "center",
        domain: xDomain,
        tickFormat: tick,
        ticks: logTicks(xDomain, width < 500 ? 5 : 10),
      },
      y: {
        type: loss ? "log" : "linear",
        label: loss
          ? `held-out loss (${lossUnit(result)}, log scale), lower is better`
          : "held-out accuracy, higher is better",
        grid: true,
        labelArrow: "none",
        domain: yDomain,
        tickFormat: loss ? tick : undefined,
        ticks: loss ? logTicks(yDomain, 8) : undefined,
      },
      marks: [
        Plot.line(
          list.filter((p) => !series.color(p.name)),
          { x: "n", y: "y", z: "name", stroke: ink.quiet, strokeWidth: 1.25 },
        ),
        Plot.areaY(
          strong.filter((p) => p.low !== null),
          { x: "n", y1: "low", y2: "high", z: "name", fill: color, fillOpacity: 0.08 },
        ),
        Plot.areaY(ahead, { x: "n", y1: "low", y2: "high", z: "name", fill: color, fillOpacity: 0.14 }),
        Plot.line(ahead, { x: "n", y: "y", z: "name", stroke: color, strokeWidth: 1.5, strokeDasharray: "4,4" }),
        loss && isNumber(result.chance) && result.chance > 0
          ? Plot.ruleY([result.chance], { stroke: ink.soft, strokeDasharray: "1,4" })
          : null,
        ...(loss && epsilon !== undefined
          ? [
              Plot.ruleY([epsilon], { stroke: ink.text, strokeDasharray: "5,4" }),
              Plot.text([epsilon], {
                y: (e: number) => e,
                frameAnchor: "left",
                dx: 8,
                dy: 10,
                text: () => `\u03b5 = ${plain(epsilon)}`,
                fill: ink.text,
                stroke: ink.paper,
                strokeWidth: 4,
              }),
            ]
          : []),
        Plot.line(strong, { x: "n", y: "y", z: "name", stroke: color, strokeWidth: 2 }),
        Plot.dot(strong, { x: "n", y: "y", r: 2.5, fill: color }),
        ...(loss && epsilon !== undefined ? surplus(epsilon) : []),
        ...targetMarks(xDomain, width >= 500),
        endLabels(ends),
        Plot.tip(
          list,
          Plot.pointer({
            x: "n",
            y: "y",
            title: (p: Point) =>
              `${p.name}\n${count(p.n)} labels\n${state.what} ${amount(p.y)}${p.low !== null ? ` [${amount(p.low)}\u2013${amount(p.high!)}]` : ""}`,
            ...tipOptions,
          }),
        ),
      ],
    });
  };

  return {
    name: "loss-data-curves",
    title: asked?.what === "accuracy" ? "Accuracy against labels" : "Loss against labels",
    wide: true,
    reading: `Every curve is a model. ${asked ? "The dashed line is the target asked for, the ring where the first model meets it, the bar its 95 % interval. With a tolerance \u03b5 chosen, the" : "The"} shaded area is the surplus description length (SDL) of the model chosen, above the dashed tolerance \u03b5; the ring is where it is met, the sample complexity (\u03b5SC). Shades around lines are ${models.some((m) => isNumber(m.va_low)) ? "95 % intervals" : "one standard deviation over seeds"}${foretold ? "; the fan beyond the data is what fits foretell, with what 95 % of them say" : ""}${isNumber(result.chance) ? "; the dotted line is chance" : ""}.`,
    alt: () => {
      const best = models[0]!;
      const need = asked?.need(best);
      if (asked && need)
        return `Loss-data curves of ${models.length} models. First: ${best.name}, which ${need.lower_bound ? `does not reach the ${asked.what} ${plain(asked.value)} with ${count(need.labels)} labels` : `needs about ${rough(need.labels)} labels for the ${asked.what} ${plain(asked.value)}`}.`;
      const esc = best.esc[0];
      return `Loss-data curves of ${models.length} models on log axes. Lowest surplus: ${best.name}, loss ${fixed(best.va)} at ${count(best.n)} labels${esc ? `; it meets the tolerance ${plain(esc.epsilon)} ${esc.lower_bound ? "not at all" : `with ${count(esc.value)} labels`}` : ""}.`;
    },
    draw,
    controls: (redraw) => [
      choice(
        "Show",
        accuracies
          ? [
              { value: "loss", label: "loss" },
              { value: "accuracy", label: "accuracy" },
            ]
          : [],
        state.what,
        (what) => {
          state.what = what as "accuracy" | "loss";
          redraw();
        },
      ),
      choice(
        "Sizes",
        foretold
          ? [
              { value: "measured", label: "measured" },
              { value: "forecast", label: "with forecast" },
            ]
          : [],
        state.ahead,
        (ahead) => {
          state.ahead = ahead;
          redraw();
        },
      ),
      choice(
        "SDL area of",
        result.epsilon.length > 0 ? models.map((m) => ({ value: m.name, label: m.name })) : [],
        state.area,
        (area) => {
          state.area = area;
          redraw();
        },
      ),
      choice(
        "\u03b5",
        [
          ...(asked && result.epsilon.length > 0 ? [{ value: "-1", label: "none" }] : []),
          ...result.epsilon.map((e, k) => ({ value: String(k), label: plain(e) })),
        ],
        String(state.epsilon),
        (k) => {
          state.epsilon = Number(k);
          redraw();
        },
      ),
      models.length > 1 ? series.picker(redraw) : null,
    ],
    data: () => ({
      columns: ["name", "n", state.what, "low", "high"],
      rows: points().map((p) => [p.name, p.n, p.y, p.low, p.high]),
    }),
  };
}
