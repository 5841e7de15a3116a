import { parseArgs } from 'node:util';
import { folderCircles } from './folder-circles.ts';
import { codeLines, functionsOf } from './functions.ts';
import { percentile } from './limits.ts';
import { importCircles, namesExportedTwice } from './modules.ts';
import { readFolders, readSources } from './source-tree.ts';

/*
 * Prints how large and how tangled the code is: `npm run house`, for another checkout with `-- --root DIR`.
 * A function is any function, method, accessor or arrow with a body, from its first line to its last, and what is
 * nested in it counts in it. The callbacks of `describe` are left out: they are lists of tests.
 */

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: new URL('../../../', import.meta.url).pathname },
    longest: { type: 'string', default: '10' },
  },
});

const row = (name: string, value: string | number) => console.log(`  ${name.padEnd(34)}${String(value)}`);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Prints p50, p90 and so on in one line. */
function distribution(name: string, numbers: readonly number[], shares: readonly number[]): void {
  const parts = shares.map((share) => `p${String(share * 100)} ${String(percentile(numbers, share))}`);
  row(name, `${parts.join(', ')}, max ${String(Math.max(0, ...numbers))}`);
}

/** Prints the figures of one tree of a checkout, `src` or `test`. */
function measureTree(root: string, top: string): void {
  const files = readSources(root, top);
  const lines = files.map(({ text }) => text.split('\n').length - 1);
  const functions = files.flatMap(functionsOf).sort((a, b) => b.lines - a.lines);
  const folders = readFolders(root, top);
  const circles = importCircles(files);
  console.log(top);
  row('files', files.length);
  row('lines', `${String(sum(lines))}, of code ${String(sum(files.map(codeLines)))}`);
  distribution('lines per file', lines, [0.5, 0.9]);
  row('functions', functions.length);
  distribution(
    'lines per function',
    functions.map((one) => one.lines),
    [0.5, 0.9, 0.99],
  );
  for (const one of functions.slice(0, Number(values.longest)))
    console.log(`    ${String(one.lines).padStart(4)}  ${one.name}  ${one.path}:${String(one.line)}`);
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
