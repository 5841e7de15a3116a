import { watch } from './canary-watch.ts';

afterAll(() => {
  watch.end();
  // The run fails too: what comes out after this is found all the same.
  if (watch.totals.found.length > 0) throw new Error(`a canary came out: ${watch.totals.found.join('\n')}`);
});
