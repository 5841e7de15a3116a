import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { callersWaitChanges } from './callers-wait-changes.ts';

/*
 * Loaded before a gateway (`node --import`): makes it wait for both sources, as a caller of it would notice. What must
 * notice that, too, is the row that measures what shadows cost.
 */

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = callersWaitChanges.find(([file]) => url.endsWith(file));
    if (change === undefined) return loaded;
    const [file, from, to] = change;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    const changed = source.replace(from, to);
    if (changed === source)
      throw new Error(`${file} has no ${String(from)}: the test has to be changed with it`);
    return { ...loaded, source: changed };
  },
});
