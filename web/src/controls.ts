// What a reader may change about a chart.
import { el, freshId } from "./dom";
import { shortened } from "./labels";
import { seriesColor, seriesCount } from "./theme";

const kChip = 180; // pixels of a name in a chip

export interface Option {
  value: string;
  label: string;
}

export function choice(
  label: string,
  options: Option[],
  start: string,
  change: (value: string) => void,
): HTMLElement | null {
  if (options.length < 2) return null;
  const id = freshId("choice");
  const select = el("select", { id, change: () => change(select.value) });
  for (const option of options) {
    select.append(el("option", { value: option.value, selected: option.value === start }, option.label));
  }
  return el("div", { class: "choice" }, el("label", { for: id }, label), select);
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const button = el("button", { type: "button", class: "chip", "aria-pressed": String(on) }, label);
  button.addEventListener("click", () => {
    const next = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(next));
    change(next);
  });
  return button;
}

export function search(label: string, change: (text: string) => void): HTMLElement {
  const input = el("input", {
    type: "search",
    placeholder: label,
    "aria-label": label,
    autocomplete: "off",
    input: () => change(input.value),
  });
  return input;
}

// Which of many lines stand out: the rest are drawn quietly behind them.
export class Series {
  private readonly shown: (string | null)[]; // by colour
  constructor(
    readonly names: string[],
    first = 5,
  ) {
    this.shown = Array.from({ length: seriesCount }, (_, k) => (k < first ? (names[k] ?? null) : null));
  }

  color(name: string): string | null {
    const k = this.shown.indexOf(name);
    return k < 0 ? null : seriesColor(k);
  }

  picker(redraw: () => void): HTMLElement {
    const most = 16;
    const group = el("div", { class: "chips", role: "group", "aria-label": "Lines that stand out" });
    for (const name of this.names.slice(0, most)) {
      const button = toggle(shortened(name, kChip), false, (on) => {
        this.set(name, on);
        show();
        redraw();
      });
      button.title = name;
      button.prepend(el("span", { class: "dot", "aria-hidden": "true" }));
      group.append(button);
    }
    const show = (): void => {
      [...group.children].forEach((chip, i) => {
        const color = this.color(this.names[i]!);
        chip.setAttribute("aria-pressed", String(color !== null));
        (chip.firstElementChild as HTMLElement).style.background = color ?? "transparent";
      });
    };
    show();
    if (this.names.length > most)
      group.append(el("span", { class: "note" }, `and ${this.names.length - most} more, drawn in grey`));
    return group;
  }

  private set(name: string, on: boolean): void {
    const k = this.shown.indexOf(name);
    if (!on && k >= 0) this.shown[k] = null;
    if (!on || k >= 0) return;
    const free = this.shown.indexOf(null);
    this.shown[free >= 0 ? free : seriesCount - 1] = name; // all taken: the last one gives way
  }
}
