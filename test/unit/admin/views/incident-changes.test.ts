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
