import { readState, writeState } from '../../../../src/migration/state/state-format.ts';
import { migrationState } from '../../../support/migration/migration-facts.ts';

const AT = '2026-01-02T00:00:00.000Z';
const hold = { by: 'ana', at: AT, reason: 'not today' };
const pending = {
  ...({ to: { stage: 'ramp', percent: 5 }, isForced: true, over: ['soak: 19h, needs 24h'] } as const),
  ...{ by: 'ana', reason: 'wave 1', at: AT, until: AT },
};
const stored = (extras: object) => readState(writeState({ ...migrationState({ rev: 3 }), ...extras }));

describe('a stored state of a migration', () => {
  it('is read as it was written, with its hold and the step that waits', () => {
    const state = migrationState({ hold, pending, forced: { at: AT, over: ['keys'] } });
    expect(readState(writeState(state))).toEqual(state);
  });

  it.each([
    null,
    'live',
    { ...pending, to: null },
    { ...pending, to: { stage: 'bogus', percent: 'x' } },
    { ...pending, over: undefined },
    { ...pending, over: [7] },
    { ...pending, by: 7 },
    { ...pending, reason: {} },
    { ...pending, until: 'soon' },
  ])('is read without a step that waits if that is %j', (damaged) => {
    expect(stored({ pending: damaged })).toEqual(migrationState({ rev: 3 }));
  });

  it.each([null, 'yes', {}, { ...hold, at: 'x' }, { ...hold, reason: 7 }])(
    'still holds where the hold is %j',
    (damaged) => {
      expect(stored({ hold: damaged })).toMatchObject({
        hold: { by: 'nobody known', reason: 'what is stored of the hold is damaged' },
      });
    },
  );

  it.each([null, 7, { at: AT }, { at: AT, over: 'soak' }])(
    'is read without what was forced if that is %j',
    (damaged) => {
      expect(stored({ forced: damaged })).toEqual(migrationState({ rev: 3 }));
    },
  );
});
