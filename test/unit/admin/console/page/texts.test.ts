import {
  readPosition,
  sampleText,
  stageText,
} from '../../../../../src/admin/console/page/show/migration-texts.ts';
import { auditRows } from '../../../../../src/admin/console/page/show/audit-rows.ts';

it('reads the position that a gate names as the action takes it', () => {
  expect(readPosition('ramp:25')).toEqual({ stage: 'ramp', percent: 25 });
  expect(readPosition('ramp:0.5')).toEqual({ stage: 'ramp', percent: 0.5 });
  expect(readPosition('live')).toEqual({ stage: 'live' });
  expect(readPosition('')).toBeUndefined();
  expect(readPosition('elsewhere:5')).toBeUndefined();
});

it('tells a stage and the shape of a value in words', () => {
  expect(stageText({ stage: 'ramp', percent: 5 })).toBe('ramp 5 %');
  expect(stageText({ stage: 'shadow', percent: 0 })).toBe('shadow');
  expect(sampleText(undefined)).toBe('absent');
  expect(sampleText({ type: 'string', length: 12, hash: 'a1' })).toBe('string, length 12');
});

it('shows the lines of the audit that can be read, the newest first', () => {
  expect(
    auditRows({ lines: ['{"number":1}', 'broken', '{"number":2}'] }).map(({ number }) => number),
  ).toEqual([2, 1]);
});
