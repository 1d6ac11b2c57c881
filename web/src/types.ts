// The shapes of `assay ... --json` as far as the page reads them. Files may come from other
// versions: what is missing is left out of the page.

import type { Running } from "./sections/running";

export type Num = number | null | undefined;

export interface Provenance {
  version?: string;
  command?: string[];
  seed?: number;
  threads?: number;
  time?: string;
  seconds?: number;
  inputs?: Record<string, string>;
}

export interface Failed {
  name: string;
  error: string;
}

interface Common {
  command?: string;
  provenance?: Provenance;
  failed?: Failed[];
  notes?: string[];
}

export interface FixedPointColumn {
  name?: string;
  t: Num; // where f(t) = t
  kind?: string;
  f: Num[];
}

export interface RankScore {
  value: Num;
  low?: Num;
  high?: Num;
  sd?: Num;
  seconds?: Num;
  flags?: string[];
  gain?: Num;
  chance?: Num;
  log_loss?: Num; // of a predicted accuracy, as the next two
  macro_f1?: Num;
  per_class?: Num[];
  fixed_point?: { t: number[]; columns: FixedPointColumn[]; all_columns?: number };
}

export interface RankModel {
  name: string;
  rank?: number;
  rank_low?: Num;
  rank_high?: Num;
  tie_group?: Num;
  separable_from?: string[];
  labels_to_separate?: Num;
  n: number;
  dim: number;
  latency_ms?: Num;
  params?: Num;
  size_bytes?: Num;
  pareto?: boolean;
  beats_guessing?: boolean | null;
  consensus?: Num;
  scores?: Record<string, RankScore>;
}

export interface MetricInfo {
  direction: string;
  unit: string;
  setting?: string;
}

export interface Agreement {
  metrics: string[];
  kendall: Num[][];
}

export interface RankResult extends Common {
  by: string;
  confidence: number;
  folds?: number;
  intervals?: { from: string; units: number };
  targets?: { kind: string; columns: number; names?: string[] };
  metrics: Record<string, MetricInfo>;
  left_out?: { metric: string; reason: string }[];
  subsample?: { draws: number; rows: number };
  verdict?: string;
  guessing?: { beaten: boolean | null; largest_class: Num };
  models: RankModel[];
  controls?: RankModel[];
  agreement?: Agreement;
  evaluation?: EvaluateResult;
}

// Of `rank --budget`: models as they left a race.
export interface RaceModel {
  name: string;
  rank: number;
  reported: boolean;
  state: string;
  samples: number;
  passes: number;
  seconds: Num;
  seconds_saved: Num;
  looks: { samples: number; value: number; difference: number; error: number; drift: number; high: Num }[];
}

export interface RaceResult extends Common {
  by: string;
  confidence: number;
  metrics: Record<string, MetricInfo>;
  verdict?: string;
  notes?: string[];
  race: {
    budget: string;
    top: number;
    end: string;
    settled: boolean;
    looks: number[];
    samples: number;
    passes: number;
    full_passes: number;
    passes_of: string;
    seconds: number;
    seconds_saved: number;
    reported: string[];
  };
  models: RaceModel[];
}

// Of `track`: scores of checkpoints over steps.
export interface TrackScore {
  value: Num;
  low: Num;
  high: Num;
  change: Num;
  change_low: Num;
  change_high: Num;
}

export interface TrackResult extends Common {
  by: string;
  confidence: number;
  metrics: Record<string, { direction: "higher" | "lower" | "none"; unit: string; title: string }>;
  best: string;
  best_step: number;
  no_longer_improving_since: Num;
  verdict?: string;
  notes?: string[];
  models: { name: string; step: number; n: number; dim: number; scores: Record<string, TrackScore> }[];
}

export interface Quality {
  kendall?: Num;
  weighted_kendall?: Num;
  pearson?: Num;
  spearman?: Num;
  agreement?: Num;
  top1?: boolean | Num;
  top3?: Num;
  regret1?: Num;
  regret3?: Num;
  models?: number;
  static?: boolean;
  direction?: string;
}

export interface MeasuredModel {
  name: string;
  truth: Num;
  scores: Record<string, Num>;
}

export interface EvaluateResult extends Common {
  verdict?: string;
  best?: { metric: string; weighted_kendall: number; low: Num; high: Num; not_separable_from: string[] } | null;
  truth_column: string;
  truth_direction?: string;
  metrics: Record<string, Quality>;
  models?: MeasuredModel[];
  datasets?: Record<string, EvaluateResult>;
  only_in_scores?: string[];
  only_in_truth?: string[];
}

export interface Tolerance {
  epsilon: number;
  value: number;
  lower_bound: boolean;
  sd?: Num;
}

export interface LabelsNeeded {
  target: number;
  labels: number;
  lower_bound: boolean;
  low?: Num;
  high?: Num;
  high_is_bound?: boolean;
  reach?: "measured" | "extrapolated" | "far" | "not_reachable";
  labels_with_validation?: Num;
}

// Beyond the data: the loss foretold, and its 95 % interval.
export interface ForecastPoint {
  n: number;
  loss: number;
  low: number;
  high: number;
}

export interface CurvePoint {
  n: number;
  loss: number;
  loss_sd?: Num;
  loss_low?: Num;
  loss_high?: Num;
  accuracy?: Num;
}

export interface CurveModel {
  name: string;
  curve: CurvePoint[];
  forecast?: ForecastPoint[];
  n: number;
  va: number;
  va_sd?: Num;
  va_low?: Num;
  va_high?: Num;
  mdl_low?: Num;
  mdl_high?: Num;
  mi?: Num;
  mdl: number;
  mdl_sd?: Num;
  sdl: Tolerance[];
  esc: Tolerance[];
  flags?: string[];
  target_loss?: LabelsNeeded;
  target_accuracy?: LabelsNeeded;
}

export interface CurveResult extends Common {
  loss: string;
  rule: string;
  chance?: Num;
  epsilon: number[];
  answer?: string;
  probe?: { kind: string };
  train_rows?: number;
  validation_rows?: number;
  classes?: Num;
  models: CurveModel[];
}

export interface PriorRow {
  name: string;
  prior?: string;
  temperature: number;
  expectation: number;
  variance: number;
  expectation_per_pair: number;
  sd_per_pair: number;
  probe_r2?: { value: number; sd: Num; clipped: boolean } | null;
  own_prior?: boolean;
  rankme?: Num;
  alpha_req?: Num;
  lidar?: Num;
  expectation_standard_error?: Num;
  variance_standard_error?: Num;
  n: number;
  dim: number;
}

export interface PriorResult extends Common {
  kernel: string;
  graph?: string;
  pairs?: Num;
  models: PriorRow[];
}

export interface ProbedModel {
  name: string;
  dim: number;
  mean: number;
  variance: number;
  task_variance?: Num;
  test_noise?: Num;
  worst_5_percent?: Num;
  accuracy?: Num[];
  own_prior?: boolean;
  probe_r2?: { value: number; sd: Num };
  expectation?: number;
  expectation_variance?: number;
}

export interface Correlation {
  models: number;
  spearman: Num;
  spearman_low: Num;
  spearman_high: Num;
}

export interface ProbeResult extends Common {
  verdict?: string;
  tasks: number;
  classes: number;
  chance: number;
  n: number;
  models: ProbedModel[];
  correlation?: Record<string, Correlation>;
}

export interface SampleResult extends Common {
  temperature: number;
  classes: number;
  tasks: number;
  n: number;
  sampler: string;
  mean_ari: Num;
  effective_tasks: Num;
  class_balance?: { largest: number; smallest: number };
  picture?: {
    x: number[];
    y: number[];
    labels: number[][];
    elsewhere?: { temperature: number; labels: number[][] }[];
  };
}

export interface RobustScore {
  epsilon: number;
  threshold: number;
  value: Num;
  calibrated: Num;
  calibrated_se?: Num;
}

export interface RobustModel {
  name: string;
  dim: number;
  train: number;
  test: number;
  scores: RobustScore[];
  best_epsilon: Num;
  curves: { epsilon: number; expected_bound: Num[]; expected_bound_raw: Num[] }[];
  notes?: string[];
}

export interface RobustResult extends Common {
  norm: string;
  relative?: boolean;
  verdict?: string;
  judged_at?: { epsilon: number; threshold: number };
  curve_thresholds: number[];
  models: RobustModel[];
}

export interface Epoch {
  epoch: number;
  train_loss?: Num;
  task_loss?: Num;
  bayes_loss?: Num;
  validation_accuracy?: Num;
  validation_mse?: Num;
}

export interface TuneRun {
  method: string;
  teachers?: string | null;
  seed?: number;
  test_accuracy?: Num;
  test_average_precision?: Num;
  test_mse?: Num;
  accuracy?: Num;
  seconds?: Num;
  epochs?: Epoch[];
}

export interface TuneSummary {
  method: string;
  teachers?: string | null;
  runs: number[];
  mean: Num;
  sd?: Num;
  seconds_per_epoch?: Num;
  against_finetune?: { pairs: number; difference: number; low?: Num; high?: Num; p?: Num } | null;
}

export interface TuneResult extends Common {
  target?: string;
  dataset?: string;
  quantity?: string;
  measured_on?: string;
  verdict?: string;
  summary?: TuneSummary[];
  runs?: TuneRun[];
}

// What a run did: its method, and who taught.
export const taught = (run: { method: string; teachers?: string | null }): string =>
  run.teachers ? `${run.method}, ${run.teachers}` : run.method;

// What the C++ side writes into the page.
export interface Page {
  gallery?: boolean; // cards, one result open at a time
  running?: Running; // in place of results: the run is not over
  results: { source?: string; kind: string; result: unknown }[];
}
