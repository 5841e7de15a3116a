import { fault } from '../../../../../src/kernel/errors/fault.ts';
import {
  isBeyondBounds,
  notScanned,
  outOfReach,
  overBudget,
  tooSlow,
} from '../../../../../src/pipeline/reading/windows/scan-faults.ts';

describe('the error of a scan', () => {
  it.each([
    ['that is over its budget', overBudget('rows'), 'scan_limit_exceeded'],
    ['that cannot reach the last row', outOfReach(), 'scan_limit_exceeded'],
    ['that may not be made', notScanned(), 'scan_limit_exceeded'],
    ['whose source is too slow', tooSlow(), 'upstream_timeout'],
  ])('%s has its code', (_what, error, code) => expect(error.code).toBe(code));

  it('names what was over the budget in the log alone', () => {
    expect(overBudget('calls').detail).toContain('more calls than');
    expect(overBudget('calls').message).not.toContain('calls than');
  });

  it.each<[unknown, boolean]>([
    [overBudget('rows'), true],
    [outOfReach(), true],
    [notScanned(), false],
    [tooSlow(), false],
    [fault('upstream_error', {}), false],
    [new Error('scan_limit_exceeded'), false],
    [undefined, false],
  ])('says whether everybody is refused: %#', (error, expected) =>
    expect(isBeyondBounds(error)).toBe(expected),
  );
});
