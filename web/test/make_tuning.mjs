// Tuning runs, made up, in the shape of `assay tune --json`.
export function tuning() {
  const methods = { finetune: 0.78, distill: 0.81, btuning: 0.84 };
  const runs = Object.entries(methods).flatMap(([method, top]) =>
    [0, 1, 2].map((seed) => ({
      method,
      seed,
      test_accuracy: top + 0.005 * (seed - 1),
      epochs: Array.from({ length: 20 }, (_, k) => ({
        epoch: k + 1,
        train_loss: 1.8 * Math.exp(-k / 6) + 0.08 + 0.02 * seed,
        task_loss: 1.6 * Math.exp(-k / 6) + 0.06,
        bayes_loss: method === "btuning" ? 0.4 * Math.exp(-k / 4) : undefined,
        validation_accuracy: top - 0.5 * Math.exp(-k / 4) + 0.01 * Math.sin(3 * k + seed),
      })),
    })),
  );
  return {
    command: "tune",
    target: "mobilenet",
    runs,
    provenance: { version: "0.1.0", command: ["assay", "tune", "hub"], seed: 0, threads: 2 },
  };
}
