// The site of the documentation: opened from disk, every link leads somewhere, the search finds, nobody is asked.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./browser.mjs";
import { assertAccessible, openPage } from "./open_page.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const site = join(resolve(process.env.ASSAY_BUILD ?? join(root, "build")), "docs");
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());
const open = (name, options) => openPage(browser, join(site, name), options, site);

const pages = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? pages(join(folder, entry.name)) : entry.name.endsWith(".html") ? [join(folder, entry.name)] : [],
  );

test("every link and picture of the site leads somewhere", () => {
  const all = pages(site);
  assert.ok(all.length > 50);
  const ids = new Map(all.map((file) => [file, new Set([...readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g)].map((m) => m[1]))]));
  const broken = [];
  for (const file of all) {
    for (const [, link] of readFileSync(file, "utf8").matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^(https?:|mailto:|data:)/.test(link)) continue;
      const [path, hash] = link.split("#");
      const target = path === "" ? file : resolve(dirname(file), path);
      if (!existsSync(target)) broken.push(`${file}: ${link}`);
      else if (hash && !ids.get(target)?.has(decodeURIComponent(hash))) broken.push(`${file}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

for (const colorScheme of ["light", "dark"]) {
  for (const name of ["index.html", "tutorial.html", "metrics/logme.html", "faq.html"]) {
    test(`${name}, ${colorScheme}: opens from disk, asks nobody, is accessible`, async () => {
      const { page, trouble, close } = await open(name, { colorScheme });
      await assertAccessible(page);
      assert.deepEqual(trouble, []);
      await close();
    });
  }
}

test("the search finds a heading and goes there", async () => {
  const { page, trouble, close } = await open("guide/rank.html");
  await page.getByRole("searchbox").fill("beats guessing");
  const hit = page.locator("#found a", { hasText: 'beats guessing" rest on' }).first();
  await hit.click();
  await page.waitForURL(/faq\.html#/);
  await page.getByRole("searchbox").fill("qqqqqqq");
  assert.match(await page.locator("#found").innerText(), /Nothing was found/);
  assert.deepEqual(trouble, []);
  await close();
});

test("nothing sticks out on a phone", async () => {
  for (const name of ["index.html", "guide/rank.html", "metrics/logme.html"]) {
    const { page, close } = await open(name, { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375, name);
    await close();
  }
});
