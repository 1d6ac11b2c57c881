// Many runs on one page: a card for each, one open at a time, any of a kind to be compared.
import { el } from "./dom";
import { count, plural } from "./format";
import { splitVerdict } from "./verdict";

export interface Card {
  id: string;
  name: string;
  kind: string;
  title: string;
  verdict: string;
  time?: string;
  size: number; // models
  failed: number;
}

export interface GalleryActions {
  compare(ids: string[]): void;
}

const when = (time: string | undefined): string => time?.slice(0, 16).replace("T", " ") ?? "";

function cardNode(card: Card, picked: Set<string>, changed: () => void): HTMLElement {
  const pick = el("input", { type: "checkbox", "aria-label": `Compare ${card.name}` });
  pick.addEventListener("change", () => {
    if (pick.checked) picked.add(card.id);
    else picked.delete(card.id);
    changed();
  });
  return el(
    "li",
    { class: "card", "data-kind": card.kind },
    el("div", { class: "top" }, el("span", { class: "note" }, [card.kind, when(card.time)].filter(Boolean).join(" \u00b7 ")), pick),
    el("a", { href: `#${card.id}` }, card.name),
    el("p", {}, splitVerdict(card.verdict)[0]),
    card.size > 0
      ? el(
          "p",
          { class: "note" },
          `${plural(card.size, "model")}${card.failed > 0 ? `, ${count(card.failed)} left out` : ""}`,
        )
      : null,
  );
}

export function gallery(cards: Card[], actions: GalleryActions): HTMLElement {
  const picked = new Set<string>();
  const status = el("span", { class: "note", role: "status" });
  const button = el("button", { type: "button", class: "chip", disabled: true }, "Compare the ticked runs");
  button.addEventListener("click", () => actions.compare([...picked]));
  const changed = (): void => {
    const kinds = new Set(cards.filter((card) => picked.has(card.id)).map((card) => card.kind));
    button.disabled = picked.size < 2 || kinds.size !== 1;
    status.textContent =
      kinds.size > 1 ? "Only runs of one kind can be compared." : picked.size === 1 ? "Tick another one." : "";
  };
  const nodes = cards.map((card) => cardNode(card, picked, changed));
  const filter = el("input", { type: "search", placeholder: "Filter runs", "aria-label": "Filter runs", autocomplete: "off" });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const node of nodes)
      node.hidden = !words.every((word) => (node.textContent ?? "").toLowerCase().includes(word));
  });
  return el(
    "nav",
    { class: "gallery", "aria-label": "Runs" },
    el("h1", {}, plural(cards.length, "run")),
    el("div", { class: "controls" }, filter, button, status),
    el("ul", { class: "cards" }, ...nodes),
  );
}
