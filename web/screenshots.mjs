// Pictures of reports for the documentation.
//   node screenshots.mjs OUT NAME=REPORT.html[:SELECTOR][@WIDTH][#dark] ...
// SELECTOR limits the picture to one element; without it, the top of the page.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser } from "./test/browser.mjs";

const [out, ...wanted] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await openBrowser();
for (const word of wanted) {
  const { name, file, selector, height, width, dark } =
    word.match(
      /^(?<name>[\w-]+)=(?<file>[^:@#]+)(:(?<selector>[^@#]+))?(@(?<width>\d+)(x(?<height>\d+))?)?(?<dark>#dark)?$/,
    )?.groups ?? {};
  if (!name) throw new Error(`'${word}': expected NAME=REPORT.html[:SELECTOR][@WIDTHxHEIGHT][#dark]`);
  const page = await browser.newPage({
    viewport: { width: Number(width ?? 1200), height: Number(height ?? 1100) },
    colorScheme: dark ? "dark" : "light",
  });
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("figure.chart .canvas")].every((c) => c.querySelector("svg")),
  );
  const picture = join(out, `${name}.png`);
  await (selector ? page.locator(selector).first() : page).screenshot({ path: picture });
  await page.close();
  // Fewer colours where the tool is there: a quarter of the size, and nobody sees it.
  if (existsSync("/usr/bin/pngquant"))
    execFileSync("/usr/bin/pngquant", [
      "--force",
      "--skip-if-larger",
      "--quality",
      "70-95",
      "--output",
      picture,
      picture,
    ]);
  console.log(`${picture}: ${Math.round(statSync(picture).size / 1024)} KiB`);
}
await browser.close();
