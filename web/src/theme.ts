// Light or dark: what the system says until the reader chooses. Print is always light (style.css).
import { el } from "./dom";

type Theme = "light" | "dark";
const kKey = "assay-theme";

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(kKey);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // a page opened from disk may have no storage
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // nothing to be done
  }
}

export function themeSwitch(): HTMLElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = el("button", { type: "button", class: "quiet", id: "theme" });
  let theme: Theme = "light";
  const show = (next: Theme): void => {
    theme = next;
    document.documentElement.dataset.theme = next;
    button.textContent = next === "dark" ? "Light theme" : "Dark theme";
  };
  show(remembered() ?? (system.matches ? "dark" : "light"));
  system.addEventListener("change", (event) => {
    if (!remembered()) show(event.matches ? "dark" : "light");
  });
  button.addEventListener("click", () => {
    show(theme === "dark" ? "light" : "dark");
    remember(theme);
  });
  return button;
}

// Colours are custom properties (style.css), so a drawn chart changes with the theme.
export const ink = {
  accent: "var(--accent)",
  text: "var(--ink)",
  soft: "var(--soft)",
  line: "var(--line)",
  band: "var(--band)",
  quiet: "var(--quiet)",
  paper: "var(--paper)",
};

const kSeries = 7;
export const seriesColor = (k: number): string => (k < kSeries ? `var(--s${k + 1})` : ink.quiet);
export const seriesCount = kSeries;
