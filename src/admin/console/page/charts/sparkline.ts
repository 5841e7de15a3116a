import type { VNode } from 'preact';
import { html } from '../parts/html.ts';
import { type Points, sparkPath } from './geometry.ts';

const [WIDTH, HEIGHT] = [96, 24];

/** A small line without axes, from 0 to its largest value; the number beside it says the value. */
export function sparkline(values: Points, label: string): VNode | null {
  const path = sparkPath(values, WIDTH, HEIGHT);
  if (path === '') return null;
  return html`<svg
    class="spark"
    viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
    role="img"
    aria-label=${label}
    preserveAspectRatio="none"
  >
    <path d=${path} />
  </svg>`;
}
