import type { FleetIncident } from '../../../../src/telemetry/incidents/fleet-incidents.ts';
import { NOW, viewOf } from '../../../support/admin/view-of-incident.ts';

describe('the filter that lists the requests of an incident', () => {
  const filterOf = (incident: Partial<FleetIncident>) => viewOf({ since: NOW, ...incident }).requestFilter;
  const since = '2026-01-31T03:09:59.000Z';

  it('begins a second before it, and names its source', () =>
    expect(filterOf({})).toEqual({ since, source: 'crm' }));

  it('names the operation of slow answers, if they have one', () => {
    const slow = { kind: 'slow', operations: { 'users.list': 3 } } as const;
    expect(filterOf(slow)).toEqual({ since, status: 'slow', operation: 'users.list' });
    expect(filterOf({ ...slow, operations: { 'users.list': 3, 'users.get': 2 } })).toEqual({
      since,
      status: 'slow',
    });
  });

  it.each(['config', 'field'] as const)('is absent where none are kept: %s', (kind) =>
    expect(filterOf({ kind, subject: 'crm users.email' })).toBeUndefined(),
  );
});
