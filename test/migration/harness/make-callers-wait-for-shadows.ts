import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded before a gateway (`node --import`): makes it wait for both sources, as a caller of it would notice. What must
 * notice that, too, is the row that measures what shadows cost.
 */

/** What is written otherwise, by the end of the file's name. Each has to be there once. */
const CHANGES = [
  [
    '/src/migration/routing/offer-answers.ts',
    /(const answer = await source\(call\);\s+)(?=\w+\()/,
    '$1await ',
  ],
  [
    '/src/migration/shadow/shadow.ts',
    /tasks\.run\(\(signal\) => (compare\(.+), signal\)\);/,
    'return $1, AbortSignal.timeout(60_000));',
  ],
  ['/src/gateway/reload/open-migrations.ts', /(?=comparisons\.offer\(resource, read\);)/, 'return '],
] as const;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = CHANGES.find(([file]) => url.endsWith(file));
    if (change === undefined) return loaded;
    const [file, from, to] = change;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    const changed = source.replace(from, to);
    if (changed === source)
      throw new Error(`${file} has no ${String(from)}: the test has to be changed with it`);
    return { ...loaded, source: changed };
  },
});
