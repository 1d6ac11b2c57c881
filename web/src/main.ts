// Reads the results out of the page and shows one article for each.
import { el } from "./dom";
import { gallery } from "./gallery";
import { provenanceSection } from "./provenance";
import { type Run, type Shown, comparable, runNames } from "./runs";
import { compareSection } from "./sections/compare";
import { curveSection } from "./sections/curve";
import { evaluateSection } from "./sections/evaluate";
import type { Section } from "./sections/parts";
import { priorSection, probeSection, sampleSection } from "./sections/prior";
import { raceSection } from "./sections/race";
import { rankSection } from "./sections/rank";
import { robustSection } from "./sections/robust";
import { runningArticle } from "./sections/running";
import { trackSection } from "./sections/track";
import { tuneSection } from "./sections/tune";
import { themeSwitch } from "./theme";
import type { Page, Provenance } from "./types";
import { splitVerdict } from "./verdict";

// By the name of the command, as the C++ side writes it.
const kSections: Record<string, (result: any) => Section> = {
  rank: (result) => (result.race ? raceSection(result) : rankSection(result)),
  evaluate: evaluateSection,
  curve: curveSection,
  "prior score": priorSection,
  "prior probe": probeSection,
  "prior sample": sampleSection,
  "robust score": robustSection,
  tune: tuneSection,
  track: trackSection,
};

// A result from another version, or edited by hand, must not take the others with it.
function sectionOf(kind: string, result: unknown): Section {
  try {
    return kSections[kind]!(result);
  } catch (error) {
    console.error(error);
    return {
      title: kind,
      verdict: `This result of assay ${kind} cannot be shown: it lacks what the page needs.`,
      facts: [],
      body: [],
    };
  }
}

interface Entry {
  id: string;
  run?: string; // where several results stand together
  section: Section;
  node: HTMLElement;
}

function article(
  id: string,
  section: Section,
  provenance: Provenance | undefined,
  source: string | undefined,
): HTMLElement {
  const [answer, more] = splitVerdict(section.verdict);
  const facts = el(
    "dl",
    { class: "facts" },
    ...section.facts.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))),
  );
  return el(
    "article",
    { id },
    el("h1", {}, section.title),
    el("p", { class: "verdict" }, answer),
    more ? el("p", { class: "more" }, more) : null,
    facts,
    ...section.body,
    provenanceSection(provenance, source),
  );
}

function entry(id: string, section: Section, result?: { provenance?: Provenance }, source?: string): Entry {
  return { id, section, node: article(id, section, result?.provenance, source) };
}

function comparison(id: string, results: Shown[], runs: Run[]): Entry {
  const ofKind = results.filter((one) => one.kind === runs[0]!.kind);
  const texts = ofKind.map((one) => sectionOf(one.kind, one.result).verdict);
  return entry(id, compareSection(runs, texts));
}

function entries(page: Page): Entry[] {
  const results = page.results as Shown[];
  const names = runNames(results);
  return results.map(({ kind, result, source }, k) => ({
    ...entry(`result-${k + 1}`, sectionOf(kind, result), result, source),
    run: source ? names[k] : undefined,
  }));
}

// In front of the results: what changed between those of one kind.
function comparisons(page: Page): Entry[] {
  const results = page.results as Shown[];
  return comparable(results).map((runs, k) => comparison(`compared-${k + 1}`, results, runs));
}

function contents(all: Entry[]): HTMLElement | null {
  if (all.length < 2) return null;
  const links = all.map(({ id, section, run }) =>
    el("li", {}, el("a", { href: `#${id}` }, run ? `${section.title}: ${run}` : section.title), el("p", {}, splitVerdict(section.verdict)[0])),
  );
  return el("nav", { class: "contents", "aria-label": "Results" }, el("ol", {}, ...links));
}

// One article at a time; the address says which.
function galleryOf(page: Page, all: Entry[]): HTMLElement[] {
  const results = page.results as Shown[];
  const names = runNames(results);
  const stage = el("div", { id: "stage" });
  const show = (): void => {
    const open = all.find((one) => `#${one.id}` === location.hash);
    if (open) stage.replaceChildren(open.node);
    else if (location.hash === "") stage.replaceChildren();
  };
  const compare = (ids: string[]): void => {
    const chosen = results.filter((_, k) => ids.includes(all[k]!.id));
    const [runs] = comparable(chosen);
    history.replaceState(null, "", "#compared");
    stage.replaceChildren(
      runs
        ? comparison("compared", chosen, runs).node
        : el("p", { class: "notice" }, "These runs have fewer than two models in common."),
    );
    stage.scrollIntoView();
  };
  const cards = results.map(({ kind, result }, k) => ({
    id: all[k]!.id,
    name: names[k]!,
    kind,
    title: all[k]!.section.title,
    verdict: all[k]!.section.verdict,
    time: result.provenance?.time as string | undefined,
    size: Array.isArray(result.models) ? new Set(result.models.map((m: { name: string }) => m.name)).size : 0,
    failed: result.failed?.length ?? 0,
  }));
  addEventListener("hashchange", () => {
    show();
    stage.scrollIntoView();
  });
  show();
  return [gallery(cards, { compare }), stage];
}

function start(): void {
  const page = JSON.parse(document.getElementById("results")!.textContent!) as Page;
  const header = el("header", {}, el("span", { class: "brand" }, "Assay"), themeSwitch());
  const main = el("main", {});
  document.getElementById("page")!.replaceChildren(header, main);
  if (page.running) {
    main.append(runningArticle(page.running));
    document.title = `${Math.floor(100 * page.running.done)} % \u00b7 Assay`;
    return;
  }
  const results = entries(page);
  if (page.gallery) {
    main.append(...galleryOf(page, results));
    document.title = "Runs \u00b7 Assay";
    return;
  }
  const all = [...comparisons(page), ...results];
  main.append(...[contents(all), ...all.map((one) => one.node)].filter((node) => node !== null));
  document.title = all.length === 1 ? `${all[0]!.section.title} \u00b7 Assay` : "Assay report";
}

start();
