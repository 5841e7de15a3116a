// A chart with lines over time, drawn with uPlot, for the overview and the view of a source.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { element, html } from '../parts/html.ts';
import { clockText } from '../show/times.ts';
import { cssColour, onThemeChange } from './colours.ts';
import { largest, latest } from './geometry.ts';
import type { Line } from './traffic-lines.ts';

/** The properties of a chart. Charts on one page need different titles, because the title is the key of the element, too. */
export type LineChartProps = {
  readonly title: string;
  /** When the interval of each data point begins, milliseconds since the epoch. */
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  /** Writes a value for the axis and the legend. */
  readonly textOf: (value: number | null | undefined) => string;
};

const HEIGHT = 168;
const FONT = '12px system-ui, sans-serif';

/** What a plot is drawn from, besides its data. */
type PlotSettings = Pick<LineChartProps, 'lines' | 'textOf'> & {
  readonly onPoint: (index: number | null) => void;
};

function optionsOf({ lines, textOf, onPoint }: PlotSettings, width: number): uPlot.Options {
  const [ink, grid] = [cssColour('ink-2'), cssColour('line')];
  const axis = { stroke: ink, font: FONT, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    padding: [6, 18, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        space: 64,
        size: 26,
        values: (_plot, splits) => splits.map((one) => clockText(one * 1000).slice(0, 5)),
      },
      { ...axis, space: 36, size: 62, values: (_plot, splits) => splits.map(textOf) },
    ],
    series: [
      {},
      ...lines.map(({ name, colour }) => ({
        label: name,
        stroke: cssColour(colour),
        width: 1.75,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}

function dataOf({ at, lines }: Pick<LineChartProps, 'at' | 'lines'>): uPlot.AlignedData {
  return [at.map((ms) => ms / 1000), ...lines.map(({ values }) => values.map((value) => value ?? null))];
}

/** Keeps the plot of an element. It is made again if its lines or the theme change; otherwise it gets new data. */
function usePlot(props: LineChartProps, onPoint: (index: number | null) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latestProps = useRef(props);
  latestProps.current = props;
  const [theme, setTheme] = useState(0);
  const look = props.lines.map(({ name, colour }) => `${name} ${colour}`).join();
  useEffect(() => onThemeChange(() => setTheme((old) => old + 1)), []);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const { textOf, lines } = latestProps.current;
    const width = Math.max(160, element.clientWidth);
    plot.current = new uPlot(
      optionsOf({ lines, textOf, onPoint }, width),
      dataOf(latestProps.current),
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(160, element.clientWidth), height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [look, theme, onPoint]);
  useEffect(() => plot.current?.setData(dataOf(props)), [props.at, props.lines]);
  return box;
}

function LineChart(props: LineChartProps): VNode {
  const { title, at, lines, textOf } = props;
  const [point, setPoint] = useState<number | null>(null);
  const box = usePlot(props, setPoint);
  const valueAt = ({ values }: Line) => (point === null ? latest(values) : values[point]);
  const summary = lines
    .map(({ name, values }) => `${name}: now ${textOf(latest(values))}, at most ${textOf(largest(values))}`)
    .join('; ');
  return html`<figure class="chart">
    <figcaption>
      <strong>${title}</strong>
      <span class="note num">${point === null ? 'latest' : `${clockText(at[point])} UTC`}</span>
    </figcaption>
    <ul class="legend">
      ${lines.map(
        (line) =>
          html`<li key=${line.name}>
            <i class="swatch" style=${{ background: `var(--${line.colour})` }} aria-hidden="true"></i
            >${line.name}
            <b class="num">${textOf(valueAt(line))}</b>
          </li>`,
      )}
    </ul>
    <div class="plot" ref=${box} role="img" aria-label=${`${title}. ${summary}`}></div>
  </figure>`;
}

/** Lines over time, in UTC, from 0. The legend has the latest values, or those under the pointer. */
export function lineChart(props: LineChartProps): VNode {
  return element(LineChart, { ...props, key: props.title });
}
