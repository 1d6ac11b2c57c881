// Numbers as people read them. A number that does not exist is a dash.

const kMinus = "\u2212";
const kDash = "\u2013";

const tidy = (text: string): string => text.replace(/^-/, kMinus);

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export function fixed(value: number | null | undefined, digits = 3): string {
  return isNumber(value) ? tidy(value.toFixed(digits)) : kDash;
}

// As many digits as the size of the number deserves.
export function amount(value: number | null | undefined): string {
  if (!isNumber(value)) return kDash;
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-3) return tidy(value.toPrecision(3).replace(/e-0?/, "e" + kMinus));
  if (size !== 0 && size < 0.1) return tidy(value.toPrecision(3));
  if (size >= 1000) return tidy(Math.round(value).toLocaleString("en-US"));
  if (size >= 100) return tidy(value.toFixed(1));
  return tidy(value.toFixed(size >= 10 ? 2 : 3));
}

// Decimals that suit the numbers of a column, so that they line up.
export function columnDigits(values: (number | null | undefined)[]): number {
  const largest = Math.max(0, ...values.filter(isNumber).map(Math.abs));
  if (largest === 0 || largest >= 100) return largest === 0 ? 3 : 1;
  return largest >= 10 ? 2 : largest >= 0.1 ? 3 : Math.min(8, 2 - Math.floor(Math.log10(largest)));
}

// On an axis: 2k, 0.5, 3M.
export function tick(value: number): string {
  const size = Math.abs(value);
  const [unit, mark] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : size >= 1e4 ? [1e3, "k"] : [1, ""];
  return tidy(Number((value / unit).toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 })) + mark;
}

// On an axis of many decades: 10 raised to a power.
export function powerTick(value: number): string {
  const raised = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
  const power = Math.round(Math.log10(value));
  return `10${power < 0 ? "\u207b" : ""}${[...String(Math.abs(power))].map((digit) => raised[Number(digit)]).join("")}`;
}

// A setting the reader chose: as short as it can be said.
export function plain(value: number | null | undefined): string {
  return isNumber(value) ? tidy(String(Number(value.toPrecision(4)))) : kDash;
}

export function count(value: number | null | undefined): string {
  return isNumber(value) ? tidy(Math.round(value).toLocaleString("en-US")) : kDash;
}

// Two digits say all that an estimate of labels knows; the command's answer rounds the same way.
export function rough(value: number | null | undefined): string {
  if (!isNumber(value)) return count(value);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 1);
  return count(Math.round(value / unit) * unit);
}

export function percent(value: number | null | undefined, digits = 0): string {
  return isNumber(value) ? `${tidy((100 * value).toFixed(digits))} %` : kDash;
}

export function bytes(value: number | null | undefined): string {
  if (!isNumber(value)) return kDash;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = value;
  let k = 0;
  for (; size >= 1024 && k + 1 < units.length; ++k) size /= 1024;
  return `${k === 0 ? size : size.toFixed(1)} ${units[k]}`;
}

export function seconds(value: number | null | undefined): string {
  if (!isNumber(value)) return kDash;
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 0)} s`;
  const minutes = Math.round(value / 60);
  return minutes < 90 ? `${minutes} min` : `${(value / 3600).toFixed(1)} h`;
}

export function interval(low: number | null | undefined, high: number | null | undefined): string {
  return isNumber(low) && isNumber(high) ? `${amount(low)} to ${amount(high)}` : "";
}

// "a, b and c"
export function listed(names: string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

export const arrow = (direction: string | undefined): string =>
  direction === "higher" ? "\u2191" : direction === "lower" ? "\u2193" : "";

export const better = (direction: string | undefined): string =>
  direction === "higher" ? "higher is better" : direction === "lower" ? "lower is better" : "";
