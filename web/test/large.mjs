// A ranking as large as they get, made up: `models` models by `metrics` metrics.
export function largeRanking(models = 200, metrics = 15) {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const names = Array.from({ length: metrics }, (_, m) => `metric_${m + 1}`);
  const quality = Array.from({ length: models }, (_, i) => 1 - i / models);
  const score = (q) => {
    const value = q + 0.2 * (random() - 0.5);
    return {
      value,
      low: value - 0.03 * random(),
      high: value + 0.03 * random(),
      seconds: random(),
      flags: random() < 0.05 ? ["uninformative"] : [],
      gain: value,
    };
  };
  const rows = quality.map((q, i) => ({
    name: `family_${i % 7}/network_with_a_rather_long_name_${i + 1}`,
    rank: i + 1,
    rank_low: Math.max(1, i - 4),
    rank_high: Math.min(models, i + 6),
    tie_group: 1 + Math.floor(i / 6),
    n: 10000,
    dim: 2 ** (5 + (i % 6)),
    latency_ms: 1 + 40 * random(),
    params: Math.round(1e6 * (1 + 90 * random())),
    size_bytes: Math.round(4e6 * (1 + 90 * random())),
    pareto: false,
    scores: Object.fromEntries(names.map((name) => [name, score(q)])),
    consensus: i + 1,
  }));
  const truth = rows.map((m, i) => ({
    name: m.name,
    truth: 0.4 + 0.5 * quality[i] + 0.05 * random(),
    scores: Object.fromEntries(names.map((name) => [name, m.scores[name].value])),
  }));
  return {
    command: "rank",
    by: "consensus",
    confidence: 0.95,
    folds: 20,
    targets: { kind: "classes", columns: 100 },
    metrics: Object.fromEntries(
      names.map((name, m) => [name, { direction: m % 3 === 2 ? "lower" : "higher", unit: "nats/sample" }]),
    ),
    verdict: `${rows[0].name} ranks first by consensus. At 95 % confidence it cannot be told from 5 others.`,
    models: rows,
    agreement: {
      metrics: names,
      kendall: names.map((_, a) => names.map((_, b) => (a === b ? 1 : 0.5 + 0.4 * random()))),
    },
    evaluation: {
      truth_column: "accuracy",
      truth_direction: "higher",
      metrics: Object.fromEntries(
        names.map((name) => [
          name,
          {
            kendall: random(),
            weighted_kendall: random(),
            pearson: random(),
            spearman: random(),
            agreement: random(),
            top1: true,
            top3: 1,
            regret1: 0,
            regret3: 0,
            models,
            direction: "higher",
          },
        ]),
      ),
      models: truth,
    },
    provenance: {
      version: "0.1.0",
      command: ["assay", "rank", "hub"],
      seed: 0,
      threads: 2,
      time: "2026-01-01T00:00:00Z",
      seconds: 12,
      inputs: Object.fromEntries(rows.map((m) => [`${m.name}.npy`, "xxh128:00000000000000000000000000000000"])),
    },
  };
}
