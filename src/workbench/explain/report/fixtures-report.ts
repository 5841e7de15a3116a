// Reports for `portico test` which recorded cases replay, and for `test --record` what was recorded.

import type { FixtureCase } from '../../recordings/read-fixtures.ts';
import type { RecordResult } from '../../recordings/record-source.ts';
import type { ReplayOutcome } from '../../recordings/replay-fixture.ts';
import type { Report, ReportBlock } from './report.ts';

/** The result of replaying one recorded case. */
export type ReplayResult = Pick<FixtureCase, 'source' | 'name' | 'file'> & ReplayOutcome;

function replayBlock({ passed, source, name, ...result }: ReplayResult): ReportBlock {
  const failure = [
    ...result.unexpected.map((request) => `asked, but not expected: ${request}`),
    ...result.unasked.map((request) => `expected, but not asked: ${request}`),
    ...result.differences.map(
      ({ path, expected = 'nothing', actual = 'nothing' }) => `${path}: expected ${expected}, got ${actual}`,
    ),
    ...(result.reason === undefined ? [] : [`the answer is an error: ${result.reason}`]),
  ];
  const details = result.contradicted.map((claim) => `the replies contradict the claim ${claim}`);
  return {
    mark: passed ? 'ok' : 'FAIL',
    width: 4,
    text: `${source} ${name}`,
    details: passed ? details : [...details, ...failure],
  };
}

/** Reports the replay of recorded cases. */
export function replayReport(results: readonly ReplayResult[]): Report {
  const failed = results.filter(({ passed }) => !passed).length;
  const sum = `${results.length - failed} passed, ${failed} failed`;
  return { json: results, blocks: [...results.map(replayBlock), sum] };
}

function recordBlock({ request, file, problem }: RecordResult): ReportBlock {
  const width = 'not recorded'.length;
  if (file !== undefined) return { mark: 'recorded', width, text: `${file}  ${request}` };
  return { mark: 'not recorded', width, text: request, details: problem === undefined ? [] : [problem] };
}

/** Reports what was recorded. */
export function recordingReport(results: readonly RecordResult[]): Report {
  return { json: results, blocks: results.map(recordBlock) };
}
