// Bundles src/ into one page with its script and style inside, and one mark where the results go.
//   node build.mjs [OUT]      OUT defaults to page.html in ../build/web
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transformSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../build/web/page.html"));
const mark = "@ASSAY_RESULTS@"; // src/report/html_page.cpp looks for it

const bundle = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none", // their licences go into the page once, below
  metafile: true,
});
const script = bundle.outputFiles[0].text.trim();
const style = transformSync(readFileSync(join(here, "src/style.css"), "utf8"), {
  loader: "css",
  minify: true,
}).code.trim();

// What is bundled is free to use as long as its notices come along: each text once, with the packages it is of.
function notices(inputs) {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
  );
  const byText = new Map();
  for (const name of [...packages].sort()) {
    const file = ["LICENSE", "LICENSE.md", "license", "LICENCE"]
      .map((base) => join(here, "node_modules", name, base))
      .find(existsSync);
    const { license } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
    const text = (file ? readFileSync(file, "utf8") : `Licence: ${license}`).replaceAll("\r", "").trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  const all = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n* * *\n\n");
  return all.replaceAll("--", "- -").replaceAll(">", "");
}

// The page may run this script and no other, and may ask the network for nothing.
const hash = createHash("sha256").update(script, "utf8").digest("base64");
const parts = {
  "@SCRIPT@": script,
  "@STYLE@": style,
  "@SCRIPT_HASH@": `sha256-${hash}`,
  "@NOTICES@": notices(bundle.metafile.inputs),
};
const page = readFileSync(join(here, "src/page.html"), "utf8").replace(
  /@SCRIPT@|@STYLE@|@SCRIPT_HASH@|@NOTICES@/g,
  (name) => parts[name],
);
if (page.split(mark).length !== 2) throw new Error(`the page must hold ${mark} exactly once`);

mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`web: ${out}: ${Math.round(Buffer.byteLength(page) / 1024)} KiB`);
