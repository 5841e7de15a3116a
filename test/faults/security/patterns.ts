import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { BenchRow } from '../harness/row.ts';

/** Every regular expression written in a file of `src`. */
function patternsOf(file: string): readonly RegExp[] {
  const found: RegExp[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.push(new RegExp(source, flags));
    }
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

const SIZE = 50_000;
/** What makes a pattern go back and try again: long runs of what it repeats, and an end that does not fit. */
const RUNS = [
  'a',
  '0',
  ' ',
  '\t',
  '/',
  '.',
  '-',
  '_',
  'a.',
  'a,',
  '0.',
  ', ',
  '""',
  'a=',
  '%20',
  '<a>',
  '&amp;',
  '\n',
  '1-',
  ':a',
  'eyJ',
  '(',
  '[',
  '{',
];

const TEXTS = RUNS.flatMap((run) => {
  const many = run.repeat(Math.ceil(SIZE / run.length));
  return [many, `${many}!`, `eyJ${many}\0`, `Bearer ${many}\n`];
});

/** What only an operator's commands and files meet, and what runs in an operator's browser, on texts of the project. */
const OFFLINE = /^(?:cli|workbench|config|admin\/console\/page)\//;

/** How long a pattern takes; of three tries where the first was slow, for the machine may have been. */
function msOf(pattern: RegExp, text: string): number {
  const tries: number[] = [];
  do {
    pattern.lastIndex = 0;
    const startedAt = performance.now();
    pattern.test(text);
    tries.push(performance.now() - startedAt);
  } while (tries.length < 3 && tries.at(-1)! > 2);
  return Math.min(...tries);
}

const backtracking: BenchRow = {
  id: 'S14',
  name: 'texts of 50 KB made for the patterns of the serving source to go astray on – every pattern is done with every text in a moment: none goes back over and over',
  fast: true,
  run(bench) {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !OFFLINE.test(name),
    );
    const patterns = files.flatMap((name) =>
      patternsOf(join('src', name)).map((pattern) => ({ name, pattern })),
    );
    let worst = { ms: 0, where: '' };
    for (const { name, pattern } of patterns)
      for (const text of TEXTS) {
        const ms = msOf(pattern, text);
        if (ms > worst.ms)
          worst = { ms, where: `${name}: ${pattern.source} on ${JSON.stringify(text.slice(0, 8))}` };
      }
    bench.atMost(`worst ms (${worst.where})`, worst.ms, 20);
    // However busy the machine is: a pattern that goes back over and over takes seconds.
    assert.ok(worst.ms < 1_000, `${worst.where} takes ${Math.round(worst.ms)} ms`);
    return Promise.resolve({ patterns: patterns.length, 'worst ms': worst.ms });
  },
};

/** What the source itself could be turned against. */
export const securityPatterns: readonly BenchRow[] = [backtracking];
