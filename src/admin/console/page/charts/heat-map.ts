// The heat map in the view of a source: how long its calls took over time.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MetricsHistory } from '../../../api/metric-specs.ts';
import { element, html } from '../parts/html.ts';
import { clockText } from '../show/times.ts';
import { countText, durationText } from '../show/units.ts';
import { cssColour, onThemeChange } from './colours.ts';
import { heatShade, largest, latest, usedBuckets } from './geometry.ts';

type LatencySeries = MetricsHistory['series']['latency'];

const ROW_PX = 16;

/** The name of a bucket: the times that fall into it. */
function bucketText(boundsMs: readonly number[], bucket: number): string {
  const bound = boundsMs[bucket];
  return bound === undefined ? `over ${durationText(boundsMs.at(-1))}` : `up to ${durationText(bound)}`;
}

type HeatMapProps = {
  readonly at: readonly number[];
  readonly latency: LatencySeries;
  readonly label: string;
};

function draw(
  canvas: HTMLCanvasElement,
  { latency }: HeatMapProps,
  [first, last]: readonly [number, number],
) {
  const { buckets } = latency;
  const rows = last - first + 1;
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * scale, rows * ROW_PX * scale];
  if (width === 0) return;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const most = largest(buckets.flatMap((point) => point ?? []));
  const cell = width / Math.max(1, buckets.length);
  context.fillStyle = cssColour('heat');
  buckets.forEach((point, index) =>
    point?.slice(first, last + 1).forEach((count, row) => {
      context.globalAlpha = heatShade(count, most);
      if (context.globalAlpha === 0 || count <= 0) return;
      const y = (rows - 1 - row) * ROW_PX * scale;
      context.fillRect(index * cell, y, Math.max(1, cell - 0.5 * scale), (ROW_PX - 1) * scale);
    }),
  );
}

/** The data point under the pointer, in words. */
function pointText({ at, latency }: HeatMapProps, index: number, bucket: number): string {
  const count = latency.buckets[index]?.[bucket] ?? 0;
  return `${clockText(at[index])} UTC, ${bucketText(latency.boundsMs, bucket)}: ${countText(count)} calls`;
}

function HeatMap(props: HeatMapProps): VNode {
  const { at, latency, label } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [point, setPoint] = useState('');
  const range = usedBuckets(latency.buckets, latency.boundsMs.length + 1);
  const rows = Array.from({ length: range[1] - range[0] + 1 }, (_, index) => range[1] - index);
  useEffect(() => {
    const redraw = () => canvas.current && draw(canvas.current, props, range);
    redraw();
    window.addEventListener('resize', redraw);
    const end = onThemeChange(redraw);
    return () => {
      window.removeEventListener('resize', redraw);
      end();
    };
  }, [latency]);
  const onMove = ({ offsetX, offsetY, target }: MouseEvent) => {
    const { clientWidth } = target as HTMLElement;
    const index = Math.min(at.length - 1, Math.floor((offsetX / clientWidth) * at.length));
    setPoint(pointText(props, index, range[1] - Math.floor(offsetY / ROW_PX)));
  };
  const summary = `${label}. The last data point: p50 about ${durationText(latest(latency.p50Ms))}, p99 about ${durationText(latest(latency.p99Ms))}`;
  return html`<figure class="heat">
    <div class="heat-body">
      <ol aria-hidden="true">
        ${rows.map((bucket) => html`<li key=${bucket} class="num">${bucketText(latency.boundsMs, bucket).replace('up to ', '≤ ').replace('over ', '> ')}</li>`)}
      </ol>
      <canvas
        ref=${canvas}
        style=${{ height: `${rows.length * ROW_PX}px` }}
        role="img"
        aria-label=${summary}
        onMouseMove=${onMove}
        onMouseLeave=${() => setPoint('')}
      ></canvas>
    </div>
    <div class="heat-time num" aria-hidden="true">
      <span>${clockText(at[0]).slice(0, 5)}</span
      ><span>${clockText(at[Math.floor(at.length / 2)]).slice(0, 5)}</span
      ><span>${clockText(at.at(-1)).slice(0, 5)} UTC</span>
    </div>
    <figcaption class="note num">
      ${point === '' ? 'Darker: more calls. Each row is a range of times that calls took.' : point}
    </figcaption>
  </figure>`;
}

/** The latency of calls over time: a column for each data point, a row for each bucket of the histogram. */
export function heatMap(props: HeatMapProps): VNode {
  return element(HeatMap, props);
}
