// Debian's Chromium, driven by playwright-core.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function openBrowser() {
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("no Chromium found; run tools/setup.sh web, or set CHROMIUM to its path");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
