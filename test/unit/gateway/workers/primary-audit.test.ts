import type { AuditChange } from '../../../../src/store/audit/audit-entry.ts';
import { createPrimaryAudit } from '../../../../src/gateway/workers/forward-actions.ts';
import { NoAnswerError } from '../../../../src/gateway/workers/worker-link.ts';

const change: AuditChange = {
  actor: 'ada',
  action: 'config.reload',
  target: 'revision 2',
  outcome: 'applied',
};

describe('a line of the audit that the primary writes through its workers', () => {
  function audit(...answers: readonly (() => Promise<unknown>)[]) {
    const [asked, logged]: [number[], object[]] = [[], []];
    const links = answers.map((answer, at) => ({
      ask() {
        asked.push(at);
        return answer();
      },
    }));
    const log = { warn: (line: object) => void logged.push(line) };
    return { asked, logged, record: createPrimaryAudit(() => links, log).record };
  }
  const ended = () => Promise.reject(new Error('the worker has ended'));

  it('is taken by the next one where a worker has ended', async () => {
    const { asked, logged, record } = audit(ended, () => Promise.resolve('kept'));
    expect(await record(change)).toBe('kept');
    expect([asked, logged]).toEqual([[0, 1], []]);
  });

  it('is given to no other one where a worker does not answer, which may have written it', async () => {
    const late = () => Promise.reject(new NoAnswerError());
    const { asked, logged, record } = audit(late, () => Promise.resolve('kept'));
    expect(await record(change)).toBe('waiting');
    expect([asked, logged]).toEqual([[0], [{ audit: true, ...change, kept: 'unknown' }]]);
  });

  it('is in the log where no worker takes it', async () => {
    const { logged, record } = audit(ended, ended);
    expect(await record(change)).toBe('waiting');
    expect(logged).toEqual([{ audit: true, ...change, kept: false }]);
  });
});
