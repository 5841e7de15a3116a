import { createReloadRecorder } from '../../../../src/gateway/reload/reload-recorder.ts';
import { chainedLine, readAuditLine } from '../../../../src/store/audit/audit-entry.ts';
import type { AuditChange } from '../../../../src/store/audit/audit-entry.ts';

const silent = () => undefined;

/** The changes that the audit gets of a reload that is refused for some problems. */
function auditedFor(problems: readonly string[]): readonly AuditChange[] {
  const audited: AuditChange[] = [];
  const report = createReloadRecorder(
    {
      inForce: () => ({ rev: 4, digest: 'd' }),
      log: { info: silent, error: silent },
      metrics: { reloaded: silent, configStale: silent },
      audit: { record: (change) => (audited.push(change), Promise.resolve('kept' as const)) },
    },
    false,
  );
  report.refused({ actor: 'ana', reason: 'a ticket' }, problems);
  return audited;
}

/** The problems of a change, as a line of the audit keeps them. */
const keptIn = (change: AuditChange) => {
  const line = chainedLine('', { at: '2026-01-01T00:00:00.000Z', gateway: 'g', ...change });
  return (readAuditLine(line)?.after as { problems: string[] } | undefined)?.problems;
};

describe('the audit of a refused reload', () => {
  it('has every problem, and names the first one', () => {
    const problems = ['portico.yaml:3:1: limits: wrong\n    hint: write it', 'crm.yaml:9:1: net: wrong'];
    const [change, ...others] = auditedFor(problems);
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      ...{ actor: 'ana', action: 'config.reload', target: 'revision 4', reason: 'a ticket' },
      outcome: 'refused: portico.yaml:3:1: limits: wrong (and 1 more)',
    });
    expect(keptIn(change!)).toEqual(problems);
  });

  it('has every problem also where they do not fit into one line', () => {
    const problems = Array.from({ length: 60 }, (_, index) => `crm.yaml:${index}:1: ${'x'.repeat(200)}`);
    const audited = auditedFor(problems);
    expect(audited.length).toBeGreaterThan(1);
    expect(audited.flatMap((change) => keptIn(change) ?? ['cut'])).toEqual(problems);
  });
});
