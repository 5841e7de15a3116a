/**
 * `npm run test:migration`: what is promised of a resource that moves to another source, a row each with its figure: four
 * gateway processes on a real Redis, and two services over one model. It takes at most 40 minutes; times of hours and days
 * pass on a clock of the test.
 *
 *   npm run test:migration -- --only split --only redis-1
 */
import { runThemes } from '../faults/harness/run-table.ts';
import { themes } from './table.ts';

await runThemes(themes);
