import fc from 'fast-check';
import { openExaminer } from '../../../support/command/run-doctor.ts';
import { truthfulCase } from '../../../support/model/cases.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

const CASES = Number(process.env['DOCTOR_CASES'] ?? 40);
const TIME_MAX_MS = 600_000 + CASES * 1_000;

const examiner = startForAll(openExaminer);

describe('portico doctor, in front of a source whose file says what is true', () => {
  it(
    'finds no difference, whatever the source can do, within the calls it may make',
    () =>
      fc.assert(
        fc.asyncProperty(truthfulCase, async ({ does, rows }) => {
          const { code, err, findings } = await examiner.model(does, rows);
          expect(findings.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
          expect({ code, err }).toEqual({ code: 0, err: '' });
          expect(examiner.upstream.requests.length).toBeLessThanOrEqual(200);
        }),
        { numRuns: CASES },
      ),
    TIME_MAX_MS,
  );
});
