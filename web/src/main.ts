// Reads the results out of the page and shows one article for each.
import { el } from "./dom";
import { provenanceSection } from "./provenance";
import { curveSection } from "./sections/curve";
import { evaluateSection } from "./sections/evaluate";
import type { Section } from "./sections/parts";
import { priorSection, probeSection, sampleSection } from "./sections/prior";
import { rankSection } from "./sections/rank";
import { robustSection } from "./sections/robust";
import { tuneSection } from "./sections/tune";
import { themeSwitch } from "./theme";
import type { Page, Provenance } from "./types";
import { splitVerdict } from "./verdict";

// By the name of the command, as the C++ side writes it.
const kSections: Record<string, (result: any) => Section> = {
  rank: rankSection,
  evaluate: evaluateSection,
  curve: curveSection,
  "prior score": priorSection,
  "prior probe": probeSection,
  "prior sample": sampleSection,
  "robust score": robustSection,
  tune: tuneSection,
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

interface Shown {
  id: string;
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

function shown(page: Page): Shown[] {
  return page.results.map(({ kind, result, source }, k) => {
    const id = `result-${k + 1}`;
    const section = sectionOf(kind, result);
    return { id, section, node: article(id, section, (result as { provenance?: Provenance }).provenance, source) };
  });
}

function contents(all: Shown[]): HTMLElement | null {
  if (all.length < 2) return null;
  const links = all.map(({ id, section }) =>
    el("li", {}, el("a", { href: `#${id}` }, section.title), el("p", {}, splitVerdict(section.verdict)[0])),
  );
  return el("nav", { class: "contents", "aria-label": "Results" }, el("ol", {}, ...links));
}

function start(): void {
  const page = JSON.parse(document.getElementById("results")!.textContent!) as Page;
  const all = shown(page);
  const header = el("header", {}, el("span", { class: "brand" }, "Assay"), themeSwitch());
  const main = el("main", {}, contents(all), ...all.map((one) => one.node));
  document.getElementById("page")!.replaceChildren(header, main);
  document.title = all.length === 1 ? `${all[0]!.section.title} \u00b7 Assay` : "Assay report";
}

start();
