// Where the numbers come from: enough to run them again.
import { el } from "./dom";
import { count, seconds } from "./format";
import type { Provenance } from "./types";

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export function provenanceSection(provenance: Provenance | undefined, source: string | undefined): HTMLElement | null {
  if (!provenance) return null;
  const list = el("dl", {});
  const add = (term: string, value: string | Node | null | undefined): void => {
    if (value) list.append(el("div", {}, el("dt", {}, term), el("dd", {}, value)));
  };
  const command = provenance.command ?? [];
  const program = command[0]?.split("/").pop() ?? "assay";
  add("Command", el("code", {}, [program, ...command.slice(1)].map(shellWord).join(" ")));
  add("Assay", provenance.version);
  add("Time", provenance.time?.replace("T", " ").replace("Z", " UTC"));
  add(
    "Took",
    provenance.seconds === undefined
      ? null
      : `${seconds(provenance.seconds)} on ${provenance.threads ?? 1} thread${provenance.threads === 1 ? "" : "s"}`,
  );
  add("Seed", provenance.seed === undefined ? null : String(provenance.seed));
  add("Result file", source);
  const inputs = Object.entries(provenance.inputs ?? {});
  const digests = inputs.length
    ? el(
        "details",
        {},
        el("summary", {}, `${count(inputs.length)} input file${inputs.length === 1 ? "" : "s"} with digests`),
        el(
          "ul",
          { class: "digests" },
          ...inputs.map(([file, digest]) =>
            el("li", {}, el("code", {}, file), " ", el("code", { class: "soft" }, digest)),
          ),
        ),
      )
    : null;
  return el("section", { class: "provenance" }, el("h2", {}, "Provenance"), list, digests);
}
