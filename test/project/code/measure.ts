import { parseArgs } from 'node:util';
import { folderCircles, importCircles, namesExportedTwice } from './modules.ts';
import { codeLines, readFolders, readSources } from './source-tree.ts';

/*
 * Prints how large and how tangled the code is: `npm run measure`, for another checkout with `-- --root DIR`.
 * How long files and functions may be, ESLint says.
 */

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: new URL('../../../', import.meta.url).pathname },
  },
});

const row = (name: string, value: string | number) => console.log(`  ${name.padEnd(34)}${String(value)}`);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Prints the figures of one tree of a checkout, `src` or `test`. */
function measureTree(root: string, top: string): void {
  const files = readSources(root, top);
  const lines = files.map(({ text }) => text.split('\n').length - 1);
  const folders = readFolders(root, top);
  const circles = importCircles(files);
  console.log(top);
  row('files', files.length);
  row('lines', `${String(sum(lines))}, of code ${String(sum(files.map(codeLines)))}`);
  row('lines per file', `max ${String(Math.max(...lines))}`);
  row('entries per folder', `max ${String(Math.max(...folders.map(({ entries }) => entries)))}`);
  row('circles of imports, types counted', circles.length);
  for (const circle of circles) console.log(`          ${circle.join(' · ')}`);
  if (top !== 'src') return;
  const between = folderCircles(files);
  row('circles between folders', between.length);
  for (const { folder, entries } of between) console.log(`          ${folder}: ${entries.join(' · ')}`);
  const twice = namesExportedTwice(files);
  row('names that two files export', twice.length);
  for (const { name, paths } of twice) console.log(`          ${name}: ${paths.join(', ')}`);
}

for (const top of ['src', 'test']) measureTree(values.root, top);
