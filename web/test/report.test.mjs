import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { assertAccessible, drawn, openPage } from "./open_page.mjs";
import { hostile, kinds, makeReports } from "./reports.mjs";

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

async function open(name, options) {
  const opened = await openPage(browser, reports.at(`${name}.html`), options);
  await opened.page.waitForSelector("main > *");
  await drawn(opened.page);
  return opened;
}

for (const name of kinds) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${name}, ${colorScheme}: draws, asks nobody, and is accessible`, async () => {
      const { page, trouble, close } = await open(name, { colorScheme });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      const charts = await page.locator("figure.chart svg[role=img][aria-label]").count();
      if (name !== "gallery" && name !== "running") assert.ok(charts > 0);
      await assertAccessible(page);
      assert.deepEqual(trouble, []);
      await close();
    });
  }
}

const column = (page, title) =>
  page.evaluate((wanted) => {
    const table = document.querySelector(".table table");
    const c = [...table.tHead.rows[0].cells].findIndex((cell) => cell.querySelector("span").textContent === wanted);
    return [...table.tBodies[0].rows]
      .filter((row) => !row.hidden)
      .map((row) => parseFloat(row.cells[c].textContent.replace("\u2212", "-")));
  }, title);

test("a table sorts by a column, best first, then the other way", async () => {
  const { page, trouble, close } = await open("rank");
  const head = page.locator(".table thead th", { hasText: "ridge_loo" }).first();
  await head.getByRole("button").click();
  const falling = await column(page, "ridge_loo");
  assert.deepEqual(
    falling,
    [...falling].sort((a, b) => b - a),
  );
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  await head.getByRole("button").press("Enter");
  const rising = await column(page, "ridge_loo");
  assert.deepEqual(
    rising,
    [...rising].sort((a, b) => a - b),
  );
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.notEqual(rising[0], falling[0]);
  assert.deepEqual(trouble, []);
  await close();
});

test("lower is better sorts the other way round first", async () => {
  const { page, close } = await open("rank");
  await page.locator(".table thead th", { hasText: "linear_valid" }).first().getByRole("button").click();
  const rising = await column(page, "linear_valid");
  assert.deepEqual(
    rising,
    [...rising].sort((a, b) => a - b),
  );
  await close();
});

test("a table filters", async () => {
  const { page, close } = await open("rank");
  const all = (await column(page, "logme")).length;
  await page.locator(".table input[type=search]").first().fill("pca");
  assert.equal((await column(page, "logme")).length, 2);
  assert.match(await page.locator(".table [role=status]").first().textContent(), new RegExp(`2 of ${all} rows`));
  await close();
});

test("a chart changes with its controls and shows its data", async () => {
  const { page, trouble, close } = await open("curve");
  const figure = page.locator("figure.chart").first();
  const before = await figure.locator("svg").innerHTML();
  const label = await figure.locator("svg").getAttribute("aria-label");
  assert.match(label, /Loss-data curves of 11 models/);
  await figure.locator("select").first().selectOption("loss");
  const accuracy = await figure.locator("svg").innerHTML();
  assert.notEqual(accuracy, before);
  await figure.locator(".chip").first().click();
  assert.equal(await figure.locator(".chip").first().getAttribute("aria-pressed"), "false");
  assert.notEqual(await figure.locator("svg").innerHTML(), accuracy);
  await figure.getByRole("button", { name: /as a table/ }).click();
  assert.ok((await figure.locator("tbody tr").count()) > 20);
  await figure.getByRole("button", { name: /as a table/ }).click();
  assert.equal(await figure.locator("tbody tr").count(), 0);
  assert.deepEqual(trouble, []);
  await close();
});

test("the target that was asked for is drawn, and says what the verdict and the table say", async () => {
  const { page, close } = await open("curve");
  const figure = page.locator("figure.chart").first();
  assert.equal(await figure.locator("select").first().inputValue(), "accuracy");
  const drawn = await figure.locator("svg").textContent();
  assert.match(drawn, /asked: accuracy 0\.9/);
  assert.doesNotMatch(drawn, /\u03b5/); // no tolerance that nobody asked for
  const [, labels, range] = (await page.locator("h1, .verdict").allInnerTexts())
    .join(" ")
    .match(/needs about (\d+) labels \[(\d+-\d+)\] to reach an accuracy/);
  assert.match(drawn, new RegExp(`about ${labels} labels`));
  const table = page.locator("section:has(h2:text('All measures')) table");
  assert.match(await table.innerText(), new RegExp(`${labels} \\[${range.replace("-", "\u2013")}\\]`));
  await close();
});

test("a predicted accuracy stands first, with its interval; what is beside it on demand", async () => {
  const { page, close } = await open("rank");
  const table = page.locator("section:has(h2:text('All scores')) table");
  assert.match(await table.locator("th").nth(1).innerText(), /^accuracy/);
  assert.match(await table.locator("tbody tr").first().locator("td").first().innerText(), /^0\.\d+ \u00b10\.\d+$/);
  const section = page.locator("section:has(h2:text('Accuracy to expect'))");
  const tables = section.locator("table");
  assert.equal(await tables.count(), 2);
  assert.equal(await tables.first().isVisible(), false);
  for (const summary of await section.locator("summary").all()) await summary.click();
  assert.match(await tables.first().innerText(), /log-loss/);
  assert.match(await tables.first().innerText(), /macro-F1/);
  assert.equal(await tables.nth(1).locator("tbody tr").count(), 10); // digits
  assert.equal(await tables.nth(1).locator("tbody tr").first().locator("th").innerText(), "0");
  await close();
});

test("the table says how many labels would tell a model from the winner", async () => {
  const { page, close } = await open("rank");
  const head = page.locator("section:has(h2:text('All scores')) th", { hasText: "labels to separate" });
  assert.equal(await head.count(), 1);
  await close();
});

test("the theme can be chosen", async () => {
  const { page, close } = await open("rank", { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator("#theme").click();
  assert.notEqual(await ground(), light);
  await page.locator("#theme").click();
  assert.equal(await ground(), light);
  await close();
});

test("charts and data can be taken away", async () => {
  const { page, trouble, close } = await open("rank", { acceptDownloads: true });
  const take = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("figure.chart").first().getByRole("button", { name }).click(),
    ]);
    const file = reports.at(`downloads/${download.suggestedFilename()}`);
    await download.saveAs(file);
    return readFileSync(file);
  };
  const csv = (await take(/CSV/)).toString();
  assert.match(csv, /^name,rank,low,high,tie_group\nrandom_relu_512,1,1,1,1\n/);
  const drawing = (await take(/SVG/)).toString();
  assert.match(drawing, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.doesNotMatch(drawing, /fill="var\(/);
  const png = await take(/PNG/);
  assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.deepEqual(trouble, []);
  await close();
});

test("a hostile name is shown, not run", async () => {
  const { page, trouble, close } = await open("hostile");
  assert.ok((await page.getByText(hostile).count()) > 0);
  assert.equal(await page.locator(".verdict").textContent(), `${hostile} ranks first.`);
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(trouble, []);
  await close();
});

test("nothing sticks out on a phone", async () => {
  for (const name of kinds) {
    const { page, trouble, close } = await open(name, {
      viewport: { width: 375, height: 700 },
      isMobile: true,
      hasTouch: true,
    });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375, name);
    assert.deepEqual(trouble, []);
    await close();
  }
});

test("it prints, in ink on paper", async () => {
  const { page, close } = await open("rank", { colorScheme: "dark" });
  assert.ok((await page.pdf()).length > 20_000);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".actions").first().isVisible(), false);
  assert.equal(
    await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--ink").trim()),
    "#1d1f23",
  );
  await close();
});

test("200 models by 15 metrics: at most 2 MB", async () => {
  const bytes = statSync(reports.at("large.html")).size;
  const started = performance.now();
  const { page, trouble, close } = await open("large");
  const opened = performance.now() - started;
  console.log(`web: 200 models x 15 metrics: ${(bytes / 1e6).toFixed(2)} MB, drawn in ${(opened / 1000).toFixed(2)} s`);
  assert.ok(bytes <= 2e6);
  assert.equal(await page.locator(".table tbody tr").first().isVisible(), true);
  assert.equal((await column(page, "metric_1")).length, 200);
  assert.deepEqual(trouble, []);
  await close();
});
