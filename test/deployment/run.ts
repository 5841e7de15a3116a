/**
 * `npm run test:deployment`: what is promised to those who install, watch and upgrade Portico, a row each with its figure.
 *
 *   npm run test:deployment -- --only board --only chart-3
 */
import { runThemes } from '../faults/harness/run-table.ts';
import { themes } from './table.ts';

await runThemes(themes);
