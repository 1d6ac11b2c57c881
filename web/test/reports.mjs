// Reports as users make them: by the assay command, of the digits demo and of stored results.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { largeRanking } from "./large.mjs";
import { tuning } from "./make_tuning.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const build = resolve(process.env.ASSAY_BUILD ?? join(root, "build"));
export const hostile = "<script>alert(1)</script>";

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"], cwd: root });

export function makeReports() {
  const folder = mkdtempSync(join(tmpdir(), "assay-web-"));
  const at = (name) => join(folder, name);
  const assay = join(build, "assay");
  const digits = join(build, "examples/digits_hub");
  for (const program of [assay, digits])
    if (!existsSync(program)) throw new Error(`${program} is not there; run \`make web\``);

  run(digits, join(root, "examples/digits/digits.npy"), at("demo"));
  const [hub, labels, truth] = [at("demo/hub"), at("demo/labels.npy"), at("demo/truth.csv")];
  run(
    assay,
    "rank",
    "--metric",
    "default,linear_valid",
    "--by",
    "consensus",
    "--accuracy",
    hub,
    "--labels",
    labels,
    "--controls",
    "--truth",
    truth,
    "--json",
    at("rank.json"),
    "--html",
    at("rank.html"),
    "--quiet",
  );
  run(assay, "rank", hub, "--labels", labels, "--metric", "knn,logme", "--seed", "1", "--json", at("later.json"), "--quiet");
  run(assay, "evaluate", "--scores", at("rank.json"), "--truth", truth, "--html", at("evaluate.html"), "--quiet");
  run(
    assay,
    "curve",
    hub,
    "--labels",
    labels,
    "--target-accuracy",
    "0.9",
    "--no-journal",
    "--json",
    at("curve.json"),
    "--html",
    at("curve.html"),
    "--quiet",
  );
  run(
    assay,
    "prior",
    "score",
    hub,
    "--prior",
    `labels:${labels}`,
    "--prior",
    join(hub, "pixels.npy"),
    "--json",
    at("prior.json"),
    "--html",
    at("prior.html"),
    "--quiet",
  );

  const stored = {
    robust: JSON.parse(readFileSync(join(root, "web/test/fixtures/robust.json"), "utf8")),
    tune: tuning(),
    large: largeRanking(),
    names: longNames(),
  };
  const named = JSON.parse(readFileSync(at("rank.json"), "utf8"));
  named.models[0].name = hostile;
  named.models[1].name = "<img src=x onerror=alert(2)>";
  named.verdict = `${hostile} ranks first.`;
  named.evaluation.models[0].name = hostile;
  stored.hostile = named;
  for (const [name, result] of Object.entries(stored)) {
    writeFileSync(at(`${name}.json`), JSON.stringify(result));
    run(assay, "report", at(`${name}.json`), "--html", at(`${name}.html`));
  }
  mkdirSync(at("runs"));
  for (const name of ["rank", "later", "robust", "tune"]) copyFileSync(at(`${name}.json`), at(`runs/${name}.json`));
  run(assay, "report", at("runs/rank.json"), at("runs/later.json"), "--html", at("compare.html"));
  run(assay, "report", at("runs"), "--html", at("gallery.html"));
  writeFileSync(at("running.html"), runningPage(readFileSync(at("rank.html"), "utf8")));
  run(assay, "report", at("rank.json"), at("curve.json"), at("robust.json"), "--html", at("combined.html"));
  mkdirSync(at("downloads"));
  return { folder, at, remove: () => rmSync(folder, { recursive: true }) };
}

// A run half-way, as the command writes it while it goes on (cli/live_page.cpp).
function runningPage(page) {
  const now = Date.now() / 1000;
  const running = {
    state: "running",
    command: ["/usr/bin/assay", "tune", "hub", "--target", hostile],
    done: 0.37,
    elapsed: 74,
    started: now - 74,
    written: now,
    every: 3600,
    steps: [{ what: `${hostile}, batch 3`, at: 3 }],
  };
  const content = JSON.stringify({ results: [], running }).replaceAll("<", "\\u003c");
  return page.replace(/(<script type="application\/json" id="results">)[^<]*/, (_, tag) => tag + content);
}

// Sixty models whose names begin and end alike.
export function longNames() {
  const result = largeRanking(60, 4);
  const family = ["vit_base_patch16", "vit_small_patch16", "convnext_base", "swin_large_patch4_window12"];
  const rename = (m, i) => (m.name = `${family[i % 4]}_${160 + 32 * Math.floor(i / 4)}.augreg_in21k_ft_in1k`);
  result.models.forEach(rename);
  result.evaluation.models.forEach(rename);
  for (const model of result.models) for (const score of Object.values(model.scores)) score.chance = 0.3;
  result.metrics = Object.fromEntries(Object.keys(result.metrics).map((m) => [m, { direction: "higher", unit: "accuracy" }]));
  result.by = "metric_1";
  return result;
}

export const kinds = ["rank", "evaluate", "curve", "prior", "robust", "tune", "combined", "hostile", "names", "compare", "gallery", "running"];
