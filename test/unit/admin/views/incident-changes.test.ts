import { changesBeforeIncident } from '../../../../src/admin/views/incident-changes.ts';

const AT = '2026-01-31T03:00:00.000Z';

/** What the page says of a line of the audit. */
function told(more: object): string | undefined {
  const line = {
    ...{ number: 1, at: AT, gateway: 'one', actor: 'ada', action: 'config.reload', target: 'revision 2' },
    ...{ previous: '', ...more },
  };
  const [change] = changesBeforeIncident({ since: Date.parse(AT), starts: [] }, [JSON.stringify(line)]);
  return change?.what;
}

describe('what changed before an incident', () => {
  const change = (ms: number, more: object = {}) =>
    JSON.stringify({
      ...{ number: 1, at: new Date(Date.parse(AT) + ms).toISOString(), gateway: 'one', actor: 'ada' },
      ...{ action: 'keys.revoke', target: 'k', outcome: 'done', previous: '', ...more },
    });
  const toldOf = (
    lines: readonly string[],
    starts: Parameters<typeof changesBeforeIncident>[0]['starts'] = [],
  ) =>
    changesBeforeIncident({ since: Date.parse(AT), starts }, lines).map(
      ({ at, by, what }) => `${at.slice(14, 19)} ${what} (${by})`,
    );

  it('is nothing that came after it, to the second that is shown', () =>
    expect(toldOf([change(999), change(1_000, { target: 'later' })])).toEqual(['00:00 keys.revoke k (ada)']));

  it('is told once of all processes, when the latest changed', () => {
    const starts = [9, 5, 7].map((ago) => ({
      ...{ process: `host-${ago}:1`, version: '1.0.0', startedAt: Date.parse(AT) - ago * 60_000 },
    }));
    const reloads = [-8_000, -6_000].map((ms) => change(ms, { action: 'config.reload', outcome: 'applied' }));
    expect(toldOf(reloads, starts)).toEqual([
      '59:54 reload applied:  (ada)',
      '55:00 a process started, version 1.0.0 (host-5:1 and 2 more)',
    ]);
  });

  it('names the process that refused a reload', () =>
    expect(toldOf([change(0, { action: 'config.reload', outcome: 'refused: no map' })])).toEqual([
      '00:00 reload refused: no map (ada at one)',
    ]));
});

describe('a reload before an incident', () => {
  it('that was refused has the hint of its first problem', () =>
    expect(
      told({
        outcome: 'refused: crm.yaml:7: unknown setting "timeut" (and 1 more)',
        after: { problems: ['crm.yaml:7: unknown setting "timeut"\n    did you mean "timeout"?', 'another'] },
      }),
    ).toBe('reload refused: crm.yaml:7: unknown setting "timeut" (and 1 more); did you mean "timeout"?'));

  it('that was applied has what changed', () =>
    expect(told({ outcome: 'applied', after: { changes: [{ path: 'sources.crm', kind: 'changed' }] } })).toBe(
      'reload applied: sources.crm changed',
    ));
});
