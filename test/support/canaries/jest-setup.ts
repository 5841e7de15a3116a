import { endOfTest } from '../jest/lifetime.ts';
import { watch } from './canary-watch.ts';

afterEach(endOfTest);

afterAll(() => {
  const found = watch.noteTotals();
  // The run fails too: what comes out after this is found all the same.
  if (found.length > 0) throw new Error(`a canary came out: ${found.join('\n')}`);
});
