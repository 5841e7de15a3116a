import { createDisabledClaims } from '../../../src/store/disabled-claims.ts';

const scope = { source: 'catalog', resource: 'products', digest: 'd1' };
const NAME = JSON.stringify(['catalog', 'products', 'd1', 'total']);
const at = '2026-11-23T10:00:00.000Z';

/** The claims of a process, with what it has written and told. */
function open() {
  const [notes, told, changes]: [string[], string[], string[]] = [[], [], []];
  const purges = {
    purge: (_tag: string, note?: { readonly text: string }) =>
      Promise.resolve(void notes.push(note?.text ?? '')),
    forgetHere: () => undefined,
  };
  const claims = createDisabledClaims(purges, { now: () => Date.parse(at) }, (name) => void told.push(name));
  const resource = claims.of(scope, (change) => void changes.push(change));
  return { claims, resource, notes, told, changes };
}

describe('the note of a disabled claim', () => {
  it('carries the number of its format', () => {
    const { resource, notes } = open();
    resource.disable('total', 'counted 7');
    expect(JSON.parse(notes[0]!)).toEqual({ version: 1, at, detail: 'counted 7' });
  });

  it.each([
    ['without a number, as the first versions wrote it', { at, detail: 'x' }, ['disabled']],
    ['of format 1', { version: 1, at, detail: 'x' }, ['disabled']],
    ['of a newer format', { version: 2, at, detail: 'x' }, []],
  ])('%s counts accordingly', (_, note, expected) => {
    const { claims, changes } = open();
    claims.apply({ [NAME]: JSON.stringify(note) });
    expect(changes).toEqual(expected);
  });

  it('of a newer format raises no disabled claim, is not replaced, and is told once', () => {
    const { claims, resource, notes, told, changes } = open();
    claims.apply({ [NAME]: JSON.stringify({ at, detail: 'x' }) });
    for (let round = 0; round < 3; round += 1)
      claims.apply({ [NAME]: JSON.stringify({ version: 2, state: 'reset' }) });
    expect([changes, notes, told]).toEqual([['disabled'], [], [NAME]]);
    expect([...resource.disabled]).toEqual(['total']);
  });

  it.each([{ reset: at }, { version: 1, reset: at }])(
    'says with %j that the claim is believed again',
    (note) => {
      const { claims, changes } = open();
      claims.apply({ [NAME]: JSON.stringify({ at, detail: 'x' }) });
      claims.apply({ [NAME]: JSON.stringify(note) });
      expect(changes).toEqual(['disabled', 'reset']);
    },
  );
});
