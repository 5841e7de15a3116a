/**
 * `npm run test:incidents`: faults that are injected, and what page, terminal and webhooks say of them. The truth is what
 * the injector and the callers have logged. It takes some twelve minutes; `--long` gives a row all of its time.
 *
 *   npm run test:incidents -- --only incidents-500
 */
import { runThemes } from '../faults/harness/run-table.ts';
import { themes } from './table.ts';

/** Most of a row is waiting, so several run side by side. */
const AT_ONCE = 3;

await runThemes(themes, AT_ONCE);
