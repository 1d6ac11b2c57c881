// Comparisons, galleries, pages of runs that go on, and long names.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { drawn, openPage } from "./open_page.mjs";
import { hostile, makeReports } from "./reports.mjs";

let browser;
let reports;
before(async () => {
  reports = makeReports();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  reports?.remove();
});
const open = (name, options) => openPage(browser, reports.at(`${name}.html`), options);

test("two runs of the same models are compared: ranks, verdicts, what differed", async () => {
  const { page, trouble, close } = await open("compare");
  await drawn(page);
  const first = page.locator("article").first();
  assert.equal(await first.locator("h1").innerText(), "What changed between the runs");
  assert.match(await first.locator("figure svg").getAttribute("aria-label"), /^Slope chart of the ranks of 11 models in 2 runs/);
  assert.equal(await first.locator(".verdicts dt").count(), 2);
  const differences = first.locator("section:has(h2:text('What differed')) tbody tr");
  const rows = await differences.allInnerTexts();
  assert.ok(rows.some((row) => /^Seed\s+0\s+1/.test(row)), rows.join("\n"));
  assert.ok(rows.some((row) => row.startsWith("Command")));
  assert.equal(rows.some((row) => row.startsWith("Assay")), false); // the same version
  // The table has the ranks of both results.
  const table = await first.locator("section:has(h2:text('Every rank')) tbody tr").allInnerTexts();
  assert.equal(table.length, 11);
  assert.equal(await page.locator("article").count(), 3);
  assert.deepEqual(trouble, []);
  await close();
});

test("a gallery opens one run at a time, filters, and compares what is ticked", async () => {
  const { page, trouble, close } = await open("gallery");
  assert.equal(await page.locator(".card").count(), 4);
  assert.equal(await page.locator("article").count(), 0);
  await page.locator(".card a", { hasText: "robust" }).click();
  assert.equal(await page.locator("article h1").innerText(), "Robustness without data");
  await drawn(page);
  await page.locator(".card a", { hasText: "later" }).click();
  await page.waitForFunction(() => document.querySelector("article h1")?.textContent === "Which model to use");
  assert.equal(await page.locator("article").count(), 1);
  const compare = page.getByRole("button", { name: "Compare the ticked runs" });
  assert.equal(await compare.isDisabled(), true);
  await page.getByRole("checkbox", { name: "Compare later" }).check();
  await page.getByRole("checkbox", { name: "Compare robust" }).check();
  assert.equal(await compare.isDisabled(), true); // runs of two kinds
  await page.getByRole("checkbox", { name: "Compare robust" }).uncheck();
  await page.getByRole("checkbox", { name: "Compare rank" }).check();
  await compare.click();
  assert.equal(await page.locator("article h1").innerText(), "What changed between the runs");
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("tune");
  assert.equal(await page.locator(".card:visible").count(), 1);
  assert.deepEqual(trouble, []);
  await close();
});

test("a run that goes on says how far it is, in text", async () => {
  const { page, trouble, close } = await open("running");
  assert.match(await page.locator(".verdict").innerText(), /^37 % done after 74 s, about 126 s left|2 min left/);
  assert.equal(await page.locator("progress").getAttribute("value"), "0.37");
  assert.ok((await page.getByText(hostile).count()) > 0);
  assert.equal(await page.locator("script").count(), 2);
  assert.deepEqual(trouble, []);
  await close();
});

for (const width of [1280, 375]) {
  test(`sixty long names at ${width} px: cut in the middle, whole on hover and in the table`, async () => {
    const { page, trouble, close } = await open("names", { viewport: { width, height: 900 } });
    await drawn(page);
    const chart = page.locator("figure.chart").first();
    const names = await chart.locator("[data-part=names] text").evaluateAll((all) =>
      all.map((t) => ({ shown: t.firstChild.textContent, whole: t.querySelector("title").textContent })),
    );
    assert.equal(names.length, 40);
    for (const { shown, whole } of names) {
      if (shown === whole) continue;
      const [head, tail] = [shown.split("\u2026")[0], shown.split("\u2026").pop()];
      assert.ok(whole.startsWith(head) && whole.endsWith(tail), `${shown} of ${whole}`);
    }
    assert.ok(new Set(names.map((n) => n.shown)).size >= (width > 1000 ? 40 : 20));
    // Nothing is drawn beyond the drawing.
    const outside = await chart.locator("svg").evaluate((svg) => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].filter((t) => {
        const b = t.getBoundingClientRect();
        return b.width > 0 && (b.left < box.left - 1 || b.right > box.right + 1);
      }).length;
    });
    assert.equal(outside, 0);
    const cells = page.locator("section:has(h2:text('All scores')) tbody th");
    assert.equal(await cells.first().innerText(), names[0].whole);
    assert.equal(await cells.first().evaluate((cell) => cell.scrollWidth <= cell.clientWidth), true);
    assert.deepEqual(trouble, []);
    await close();
  });
}

test("a long ranking is folded, filtered, and unfolded", async () => {
  const { page, close } = await open("names");
  await drawn(page);
  const chart = page.locator("figure.chart").first();
  const shown = () => chart.locator("[data-part=names] text").count();
  assert.match(await chart.locator(".controls").innerText(), /40 of 60 models shown/);
  await chart.getByRole("searchbox", { name: "Filter models" }).fill("swin 160");
  assert.equal(await shown(), 1);
  await chart.getByRole("searchbox", { name: "Filter models" }).fill("");
  await chart.getByRole("button", { name: "All 60 models" }).click();
  assert.equal(await shown(), 60);
  await close();
});

test("guessing is drawn where it is known", async () => {
  const { page, close } = await open("names");
  await drawn(page);
  assert.equal(await page.locator("figure.chart").first().getByText("guessing").count(), 1);
  await close();
});

test("the verdict on robustness, the table and the charts are about one epsilon", async () => {
  const { page, close } = await open("robust");
  await drawn(page);
  const verdict = await page.locator(".verdict").innerText();
  const epsilon = verdict.match(/\u03b5 = ([\d.]+)/)[1];
  assert.equal(await page.locator("figure.chart").first().locator("select").inputValue(), epsilon);
  assert.match(await page.locator("dl.facts").innerText(), new RegExp(`Compared at \u03b5\\s+${epsilon}`));
  const value = verdict.match(/: ([\d.]+) \u00b1/)[1];
  const row = page.locator("tbody tr", { hasText: verdict.split(" ")[0] }).first();
  assert.ok((await row.innerText()).includes(value));
  await close();
});

test("a table that is cut at the edge says so", async () => {
  const { page, close } = await open("large");
  const more = page.locator(".table").first().getByRole("button", { name: /More columns/ });
  assert.equal(await more.isVisible(), true);
  await more.click();
  await page.waitForFunction(() => document.querySelector(".table .scroll").scrollLeft > 0);
  await close();
});
