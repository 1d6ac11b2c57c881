// The Markdown of docs/ as a site that opens from disk: no server, no network, a search over all headings and texts.
//   node build.mjs [OUT]      OUT defaults to ../../build/docs
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";
import texmath from "markdown-it-texmath";
import katex from "katex";
import MiniSearch from "minisearch";

const here = dirname(fileURLToPath(import.meta.url));
const docs = resolve(here, "..");
const root = resolve(docs, "..");
const out = resolve(process.argv[2] ?? join(root, "build/docs"));
const require = createRequire(import.meta.url);

// --- Which pages there are

function allMarkdown(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === "site" ? [] : allMarkdown(join(folder, entry.name));
    return entry.name.endsWith(".md") ? [relative(docs, join(folder, entry.name))] : [];
  });
}

// "metrics/*" stands for all that is not named elsewhere, in the order of the names.
function expanded(sections) {
  const named = new Set(sections.flatMap((s) => s.pages));
  const there = allMarkdown(docs);
  const patterns = [...named].filter((p) => p.endsWith("*"));
  const narrower = (page, pattern) => patterns.some((p) => p.length > pattern.length && page.startsWith(p.slice(0, -1)));
  const matching = (pattern) =>
    there.filter((page) => page.startsWith(pattern.slice(0, -1)) && !named.has(page) && !narrower(page, pattern)).sort();
  const all = sections.map((s) => ({ ...s, pages: s.pages.flatMap((p) => (p.endsWith("*") ? matching(p) : [p])) }));
  const listed = new Set(all.flatMap((s) => s.pages));
  const forgotten = there.filter((page) => page !== "README.md" && !listed.has(page));
  if (forgotten.length > 0) throw new Error(`docs/site/pages.json does not name: ${forgotten.join(", ")}`);
  return all;
}

// docs/guide/rank.md -> guide/rank.html; what lies beside docs/ goes into a folder of its own.
const address = (page) => page.replace(/^(\.\.\/)+/, "project/").replace(/\.md$/, ".html");

// --- One page

const slug = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const md = new MarkdownIt({ html: true, linkify: false })
  .use(anchor, { slugify: slug })
  .use(texmath, { engine: katex, delimiters: "dollars", katexOptions: { output: "mathml", throwOnError: true } });
// Wide tables and blocks scroll by themselves; the keyboard can reach them.
md.renderer.rules.table_open = () => '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>';
md.renderer.rules.table_close = () => "</table></div>";
const fence = md.renderer.rules.fence;
md.renderer.rules.fence = (...args) => fence(...args).replace("<pre>", '<pre tabindex="0">');

// Links to other pages of the site lead there; files that are not on it are named, not linked.
function withLinks(tokens, page, known) {
  const target = (href) => {
    const [path, hash] = href.split("#");
    if (path === "") return href;
    const file = posix.normalize(posix.join(posix.dirname(page), path));
    const name = known.has(file) ? file : known.has(posix.join(file, "README.md")) ? posix.join(file, "README.md") : null;
    if (!name) return null;
    return posix.relative(posix.dirname(address(page)), address(name)) + (hash ? `#${hash}` : "");
  };
  for (const token of tokens) {
    if (token.children) withLinks(token.children, page, known);
    if (token.type === "image") {
      const file = posix.normalize(posix.join(posix.dirname(page), token.attrGet("src")));
      token.attrSet("src", posix.relative(posix.dirname(address(page)), file));
    }
    if (token.type !== "link_open" || /^[a-z]+:/.test(token.attrGet("href"))) continue;
    const href = target(token.attrGet("href"));
    if (href) token.attrSet("href", href);
    else token.attrs = [["title", `${token.attrGet("href")}, in the repository`]];
  }
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const kText = ["text", "code_inline", "fence", "code_block", "math_inline", "math_block"];
function plainText(tokens) {
  return tokens
    .map((t) => (t.children ? plainText(t.children) : kText.includes(t.type) ? t.content : t.type.endsWith("break") || t.block ? " " : ""))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

// The parts of a page below its headings: what the search finds.
function parts(tokens) {
  const found = [];
  for (let k = 0; k < tokens.length; ++k) {
    if (tokens[k].type === "heading_open")
      found.push({ level: Number(tokens[k].tag[1]), id: tokens[k].attrGet("id"), title: plainText([tokens[k + 1]]), text: "", from: k + 3 });
  }
  found.forEach((part, k) => {
    const end = k + 1 < found.length ? found[k + 1].from - 3 : tokens.length;
    part.text = plainText(tokens.slice(part.from, end));
  });
  return found;
}

// Formulas that are too wide for a phone scroll by themselves, with the keyboard as well.
const reachable = (html) => html.replaceAll("<section><eqn>", '<section><eqn tabindex="0">');

function readPage(page, known) {
  const tokens = md.parse(readFileSync(join(docs, page), "utf8"), {});
  withLinks(tokens, page, known);
  const sections = parts(tokens);
  return { page, tokens, sections, title: sections[0]?.title ?? page, html: reachable(md.renderer.render(tokens, md.options, {})) };
}

function navigation(site, current) {
  const to = (page) => posix.relative(posix.dirname(address(current)), address(page)) || posix.basename(address(current));
  const item = (p) =>
    `<li><a href="${to(p.page)}"${p.page === current ? ' aria-current="page"' : ""}>${escaped(p.title)}</a></li>`;
  return site
    .map((s) => {
      const open = s.pages.some((p) => p.page === current) || current === "index.md" ? " open" : "";
      return `<details${open}><summary>${s.title}</summary><ul>${s.pages.map(item).join("")}</ul></details>`;
    })
    .join("\n");
}

const template = readFileSync(join(here, "page.html"), "utf8");

function write(site, page, title, html, sections) {
  const up = posix.relative(posix.dirname(address(page)), ".") || ".";
  const inside = sections
    .filter((s) => s.level === 2)
    .map((s) => `<li><a href="#${s.id}">${escaped(s.title)}</a></li>`)
    .join("");
  const values = {
    "@TITLE@": escaped(title),
    "@UP@": up,
    "@NAVIGATION@": navigation(site, page),
    "@CONTENTS@": inside ? `<nav class="inside" aria-label="On this page"><p>On this page</p><ul>${inside}</ul></nav>` : "",
    "@BODY@": html,
  };
  const file = join(out, address(page));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, template.replace(/@TITLE@|@UP@|@NAVIGATION@|@CONTENTS@|@BODY@/g, (name) => values[name]));
}

function home(site) {
  const groups = site.map(
    (s) =>
      `<section><h2>${s.title}</h2><p class="soft">${s.about}</p><ul>${s.pages
        .slice(0, 8)
        .map((p) => `<li><a href="${address(p.page)}">${escaped(p.title)}</a></li>`)
        .join("")}</ul></section>`,
  );
  return `<h1>Assay</h1><p class="lead">Which pre-trained model should you use for your data? Start with the <a href="tutorial.html">tutorial</a>, or search.</p><div class="groups">${groups.join("")}</div>`;
}

// --- All of it

const sections = expanded(JSON.parse(readFileSync(join(here, "pages.json"), "utf8")));
const known = new Set(sections.flatMap((s) => s.pages));
const site = sections.map((s) => ({ ...s, pages: s.pages.map((page) => readPage(page, known)) }));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const documents = [];
for (const { title: group, pages } of site) {
  for (const { page, title, html, sections: found } of pages) {
    write(site, page, title, html, found);
    for (const part of found)
      documents.push({
        id: documents.length,
        href: `${address(page)}${part.level > 1 ? `#${part.id}` : ""}`,
        title: part.title,
        page: title,
        group,
        text: part.text.slice(0, 4000),
      });
  }
}
write(site, "index.md", "Documentation", home(site), []);
const options = { fields: ["title", "page", "text"], storeFields: ["href", "title", "page", "group"] };
const index = new MiniSearch(options);
index.addAll(documents);
writeFileSync(
  join(out, "search-index.js"),
  `window.assayIndex = ${JSON.stringify(JSON.stringify(index))};\nwindow.assayOptions = ${JSON.stringify(options)};\n`,
);
cpSync(join(dirname(require.resolve("minisearch")), "../umd/index.js"), join(out, "minisearch.js"));
for (const file of ["site.css", "site.js"]) cpSync(join(here, file), join(out, file));
if (existsSync(join(docs, "images"))) cpSync(join(docs, "images"), join(out, "images"), { recursive: true });
console.log(`docs: ${join(out, "index.html")}: ${known.size} pages, ${documents.length} parts to search`);
