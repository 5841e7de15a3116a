import { docsRows } from './docs.ts';
import type { BrowserRow } from './harness/browser-row.ts';

/** Every row, in its order. A new theme is a file of its own and a line here. */
export const browserRows: readonly BrowserRow[] = [...docsRows];
