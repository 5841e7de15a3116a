/**
 * `npm run test:operations`: what is promised to those who operate Portico, a row each with its figure. It takes at most
 * 20 minutes; `--long` gives every row the time that its sentence names.
 *
 *   npm run test:operations -- --only alerts --only reload-3
 */
import { runThemes } from '../faults/harness/run-table.ts';
import { themes } from './table.ts';

await runThemes(themes);
