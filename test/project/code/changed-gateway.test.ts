import { readFileSync } from 'node:fs';
import { callersWaitChanges } from '../../migration/harness/callers-wait-changes.ts';

describe('the gateway that a measurement of migrations changes on purpose', () => {
  test.each(callersWaitChanges)('%s still has the text that is changed', (file, from) => {
    const source = readFileSync(new URL(`../../..${file}`, import.meta.url), 'utf8');
    expect(source).toMatch(from);
  });
});
