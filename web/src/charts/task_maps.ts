// Sampled tasks as coloured maps of the samples over temperatures (the paper's Figures 1 and 6).
import * as Plot from "@observablehq/plot";
import type { ChartSpec } from "../chart";
import { plain } from "../format";
import { drawn } from "../plot";
import type { SampleResult } from "../types";

// Colours that colour-blind readers can tell apart (Okabe and Ito); classes beyond them repeat.
const kClasses = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#b8a800"];

interface Map {
  temperature: string;
  labels: number[];
  task: string;
}

function mapsOf(result: SampleResult): Map[] {
  const picture = result.picture!;
  const rows = [
    { temperature: result.temperature, labels: picture.labels, own: true },
    ...(picture.elsewhere ?? []).map((e) => ({ ...e, own: false })),
  ].sort((a, b) => a.temperature - b.temperature);
  return rows.flatMap((row) =>
    row.labels.map((labels, task) => ({
      temperature: `T = ${plain(row.temperature)}${row.own ? ", drawn" : ""}`,
      labels,
      task: `task ${task}`,
    })),
  );
}

export function taskMaps(result: SampleResult): ChartSpec | null {
  const picture = result.picture;
  if (!picture || picture.labels.length === 0 || picture.x.length === 0) return null;
  const maps = mapsOf(result);
  const temperatures = [...new Set(maps.map((m) => m.temperature))];
  const tasks = [...new Set(maps.map((m) => m.task))];
  const dots = maps.flatMap((map) =>
    map.labels.map((label, i) => ({
      temperature: map.temperature,
      task: map.task,
      x: picture.x[i],
      y: picture.y[i],
      color: kClasses[label % kClasses.length],
    })),
  );
  return {
    name: "task-maps",
    title: "Sampled tasks",
    wide: true,
    reading:
      "Every map shows the same samples in the plane of the prior\u2019s two principal directions, coloured by the class a task gave them. A column is a task, a row a temperature: cold tasks follow the features and resemble one another, hot ones are coin tosses.",
    alt: () =>
      `${tasks.length} sampled tasks of ${result.classes} classes at ${temperatures.length} temperatures, as coloured maps of ${picture.x.length} samples.`,
    draw: (width) => {
      const side = Math.max(70, (width - 130) / tasks.length);
      return drawn({
        width,
        height: Math.min(220, side) * temperatures.length + 40,
        marginLeft: 8,
        marginRight: 150,
        marginBottom: 8,
        x: { axis: null, inset: 6 },
        y: { axis: null, inset: 6 },
        fx: { domain: tasks, axis: null, padding: 0.06 },
        fy: { domain: temperatures, axis: null, padding: 0.06 },
        marks: [
          Plot.axisFx({ anchor: "top", label: null }),
          Plot.axisFy({ anchor: "right", label: null }),
          Plot.frame({ stroke: "var(--line)" }),
          Plot.dot(dots, { x: "x", y: "y", fx: "task", fy: "temperature", r: 1.6, fill: "color" }),
        ],
      });
    },
    data: () => ({
      columns: ["task", "temperature", "x", "y", "class"],
      rows: maps.flatMap((map) =>
        map.labels.map((label, i) => [map.task, map.temperature, picture.x[i]!, picture.y[i]!, label]),
      ),
    }),
  };
}
