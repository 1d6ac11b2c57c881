// A chart as SVG or PNG, its data as CSV: made in the page, nothing is sent anywhere.
import { svg } from "./dom";

export interface DataTable {
  columns: string[];
  rows: (string | number | boolean | null | undefined)[][];
}

export function csvText(data: DataTable): string {
  const cell = (value: unknown): string => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [data.columns, ...data.rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const saveCsv = (data: DataTable, name: string): void =>
  save(new Blob([csvText(data)], { type: "text/csv" }), `${name}.csv`);

// Outside the page its custom properties do not exist: write the colours they stand for.
function withPlainColours(text: string, root: Element): string {
  const style = getComputedStyle(root);
  return text.replace(/var\((--[\w-]+)(?:,[^)]*)?\)/g, (whole, name: string) => {
    const value = style.getPropertyValue(name).trim();
    return value === "" ? whole : value;
  });
}

export function standaloneSvg(chart: SVGSVGElement): { text: string; width: number; height: number } {
  const box = chart.viewBox.baseVal;
  const copy = chart.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  copy.setAttribute("font-family", getComputedStyle(chart).fontFamily);
  copy.setAttribute("color", getComputedStyle(chart).color);
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: "var(--paper)" }));
  const text = withPlainColours(new XMLSerializer().serializeToString(copy), chart);
  return { text, width: box.width, height: box.height };
}

export const saveSvg = (chart: SVGSVGElement, name: string): void =>
  save(new Blob([standaloneSvg(chart).text], { type: "image/svg+xml" }), `${name}.svg`);

export async function savePng(chart: SVGSVGElement, name: string): Promise<void> {
  const scale = 2; // sharp on paper and on dense screens
  const { text, width, height } = standaloneSvg(chart);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = scale * width;
  canvas.height = scale * height;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`), "image/png");
}
