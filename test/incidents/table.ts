import type { Themes } from '../faults/harness/row.ts';
import { faultRows } from './faults.ts';
import { patternRows } from './patterns.ts';

/** Every row, by theme, in its order. */
export const themes: Themes = { faults: faultRows, patterns: patternRows };
