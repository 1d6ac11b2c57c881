// Opens a page from disk and watches: `trouble` collects console messages, errors, dialogs and requests beyond its folder.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function openPage(browser, file, options = {}, folder = null) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // a busy machine is no failure
  const trouble = [];
  const url = pathToFileURL(file).href;
  const allowed = (asked) =>
    asked === url || asked.startsWith("data:") || asked.startsWith("blob:") || (folder && asked.startsWith(pathToFileURL(folder).href));
  page.on("console", (message) => trouble.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!allowed(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, trouble, close: () => context.close() };
}

export const drawn = (page) =>
  page.waitForFunction(() =>
    [...document.querySelectorAll("figure.chart .canvas")].every((c) => c.querySelector("svg")),
  );

export async function assertAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ preload: false }));
  const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(
    serious.map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => `${n.target} ${n.failureSummary}`)
          .join(" | ")}`,
    ),
    [],
  );
}
