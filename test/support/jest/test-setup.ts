import { watch } from '../secret-markers/marker-watch.ts';
import { endOfTest } from './lifetime.ts';

afterEach(endOfTest);

afterAll(() => {
  const found = watch.noteTotals();
  // The run fails too: what comes out after this is found all the same.
  if (found.length > 0) throw new Error(`a secret marker came out: ${found.join('\n')}`);
});
