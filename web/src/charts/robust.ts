// SynBench: the expected bound against the threshold accuracy, and the score against epsilon.
import type { ChartSpec } from "../chart";
import { Series, choice } from "../controls";
import { fixed, isNumber, plain } from "../format";
import type { RobustModel, RobustResult, RobustScore } from "../types";
import { type LinePoint, lineChart } from "./lines";

const rawData = "raw data";

export function scoreAt(model: RobustModel, threshold: number, epsilon: number): RobustScore | undefined {
  return model.scores.find((s) => s.threshold === threshold && s.epsilon === epsilon);
}

export const robustValue = (score: RobustScore | undefined): number | null | undefined =>
  score?.calibrated ?? score?.value;

// Where models are compared: the same place in the verdict, the table and both charts.
export function judgedAt(result: RobustResult): { epsilon: number; threshold: number } {
  if (result.judged_at) return result.judged_at;
  const scores = result.models[0]?.scores ?? [];
  const shifts = scores.map((s) => s.epsilon).filter((e) => e > 0);
  return {
    epsilon: shifts.length > 0 ? Math.min(...shifts) : (scores[0]?.epsilon ?? 0),
    threshold: scores[0]?.threshold ?? 0,
  };
}

// Best first there; models without a score last.
export function robustOrder(result: RobustResult): RobustModel[] {
  const { epsilon, threshold } = judgedAt(result);
  const value = (m: RobustModel): number => robustValue(scoreAt(m, threshold, epsilon)) ?? -Infinity;
  return [...result.models].sort((a, b) => value(b) - value(a));
}

export function boundChart(result: RobustResult): ChartSpec | null {
  const models = robustOrder(result).filter((m) => m.curves?.length > 0);
  if (models.length === 0) return null;
  const series = new Series(
    models.map((m) => m.name),
    5,
  );
  const epsilons = models[0]!.curves.map((c) => c.epsilon);
  const asked = judgedAt(result).epsilon;
  const state = { epsilon: epsilons.includes(asked) ? asked : epsilons[0]! };
  const at = (m: RobustModel) => m.curves.find((c) => c.epsilon === state.epsilon);
  const line = (values: (number | null | undefined)[] | undefined): { x: number; y: number }[] =>
    (values ?? []).flatMap((y, k) => (isNumber(y) ? [{ x: result.curve_thresholds[k]!, y }] : []));
  const points = (): LinePoint[] =>
    models.flatMap((m) => line(at(m)?.expected_bound).map((p) => ({ name: m.name, ...p })));
  return {
    name: "bound-curves",
    title: "Bound against threshold accuracy",
    wide: true,
    reading:
      "The expected distance to the decision boundary, counting only those synthetic tasks that are classified better than the threshold accuracy. The dashed line is what the raw data themselves allow; the closer to it the better. The SynBench score is the share of the area below it.",
    alt: () =>
      `Curves of the expected bound against the threshold accuracy for ${models.length} models and the raw data, \u03b5 = ${state.epsilon}. Highest score: ${models[0]!.name}.`,
    draw: (width) =>
      lineChart(points(), series, width, {
        xLabel: "threshold accuracy",
        yLabel: "expected bound, higher is better",
        yDomain: [0, 1.05 * Math.max(0.1, ...points().map((p) => p.y))],
        dashed: { name: rawData, points: line(at(models[0]!)?.expected_bound_raw) },
      }),
    controls: (redraw) => [
      choice(
        "\u03b5",
        epsilons.map((e) => ({ value: String(e), label: String(e) })),
        String(state.epsilon),
        (e) => {
          state.epsilon = Number(e);
          redraw();
        },
      ),
      models.length > 1 ? series.picker(redraw) : null,
    ],
    data: () => ({
      columns: ["threshold", ...models.map((m) => m.name), rawData],
      rows: result.curve_thresholds.map((t, k) => [
        t,
        ...models.map((m) => at(m)?.expected_bound[k]),
        at(models[0]!)?.expected_bound_raw[k],
      ]),
    }),
  };
}

export function epsilonChart(result: RobustResult): ChartSpec | null {
  const models = robustOrder(result);
  const thresholds = [...new Set(models.flatMap((m) => m.scores.map((s) => s.threshold)))];
  const epsilons = [...new Set(models.flatMap((m) => m.scores.map((s) => s.epsilon)))];
  if (epsilons.length < 2) return null;
  const series = new Series(
    models.map((m) => m.name),
    5,
  );
  const at = judgedAt(result);
  const state = { threshold: at.threshold };
  const points = (): LinePoint[] =>
    models.flatMap((m) =>
      m.scores.flatMap((s) => {
        const y = robustValue(s);
        if (s.threshold !== state.threshold || !isNumber(y)) return [];
        const wide = isNumber(s.calibrated_se) && 1.96 * s.calibrated_se > 0.5; // chance decides: no shade says that better
        const half = isNumber(s.calibrated_se) && !wide ? 1.96 * s.calibrated_se : null;
        return [
          {
            name: m.name,
            x: s.epsilon,
            y,
            low: half === null ? null : y - half,
            high: half === null ? null : y + half,
          },
        ];
      }),
    );
  return {
    name: "score-by-epsilon",
    title: "Score against the shift to withstand",
    wide: true,
    reading:
      "The calibrated SynBench score: 1 is the raw data. The bias of finite samples is taken out; shades are 95 % intervals. The dashed line is where the verdict compares the models.",
    alt: () =>
      `Lines of the calibrated score against \u03b5 for ${models.length} models at threshold ${state.threshold}. ${models[0]!.name} reaches ${fixed(
        Math.max(
          ...points()
            .filter((p) => p.name === models[0]!.name)
            .map((p) => p.y),
        ),
      )}.`,
    draw: (width) =>
      lineChart(points(), series, width, {
        xLabel:
          result.relative === false
            ? "\u03b5, a distance"
            : "\u03b5, as a share of half the distance between the classes",
        yLabel: "calibrated score, higher is better",
        dots: true,
        xTicks: epsilons,
        yDomain: [0, 1.05 * Math.max(0.1, ...points().map((p) => p.high ?? p.y))],
        mark: { x: at.epsilon, text: "compared here" },
      }),
    controls: (redraw) => [
      choice(
        "Threshold accuracy",
        thresholds.map((t) => ({ value: String(t), label: plain(t) })),
        String(state.threshold),
        (t) => {
          state.threshold = Number(t);
          redraw();
        },
      ),
      models.length > 1 ? series.picker(redraw) : null,
    ],
    data: () => ({
      columns: ["name", "epsilon", "score", "low", "high"],
      rows: points().map((p) => [p.name, p.x, p.y, p.low, p.high]),
    }),
  };
}
