// Bundles src/ into one page with its script and style inside, and one mark where the results go.
//   node build.mjs [OUT]      OUT defaults to page.html in ../build/web
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  legalComments: "none",
});
const script = bundle.outputFiles[0].text.trim();
const style = transformSync(readFileSync(join(here, "src/style.css"), "utf8"), {
  loader: "css",
  minify: true,
}).code.trim();

// The page may run this script and no other, and may ask the network for nothing.
const hash = createHash("sha256").update(script, "utf8").digest("base64");
const parts = { "@SCRIPT@": script, "@STYLE@": style, "@SCRIPT_HASH@": `sha256-${hash}` };
const page = readFileSync(join(here, "src/page.html"), "utf8").replace(
  /@SCRIPT@|@STYLE@|@SCRIPT_HASH@/g,
  (name) => parts[name],
);
if (page.split(mark).length !== 2) throw new Error(`the page must hold ${mark} exactly once`);

mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`web: ${out}: ${Math.round(Buffer.byteLength(page) / 1024)} KiB`);
