import { exitCodeOf, judgeGoals } from '../../bench/goals.ts';
import { goalLines } from '../../bench/print-result.ts';

const ratio = (median: number) => ({ median, least: median - 0.05, greatest: median + 0.05 });
const pass = new Set(['passthrough']);
const met = {
  passthroughToExpress: ratio(1.3),
  passthroughToFastify: ratio(1.1),
  passthroughToBareProxy: ratio(0.95),
};

describe('the goals of the bench', () => {
  it('are judged of the groups that were asked for alone', () => {
    expect(judgeGoals(pass, met).map((goal) => goal.ratio)).toEqual(Object.keys(met));
    expect(judgeGoals(new Set(['start']), met)).toEqual([]);
  });

  it.each([
    ['are all met where each ratio is at least its goal', met, 0],
    ['end with 1 where one is missed', { ...met, passthroughToExpress: ratio(1.29) }, 1],
    ['end with 3 where the machine counts no instructions', {}, 3],
    ['end with 3 where a rival was not there', { ...met, passthroughToFastify: undefined }, 3],
    ['end with 3 where a round had no answer', { ...met, passthroughToFastify: ratio(Number.NaN) }, 3],
    ['end with 1 where one is missed and another is not judged', { passthroughToExpress: ratio(1) }, 1],
  ])('%s', (_name, instructions, code) => {
    const counted = Object.fromEntries(
      Object.entries(instructions).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    expect(exitCodeOf(judgeGoals(pass, counted))).toBe(code);
  });

  it('are printed with the CPU and its spread beside the instructions, which alone decide', () => {
    const ratios = { passthroughToExpress: ratio(1.6), passthroughToFastify: ratio(1.6) };
    const instructionRatios = { passthroughToExpress: ratio(1.2) };
    const lines = goalLines(judgeGoals(pass, instructionRatios), { ratios, instructionRatios }).join('\n');
    expect(lines).toMatch(
      /passthroughToExpress +missed: at least 1.3, aim 1.5; instructions 1\.20 {2}1\.15–1\.25, CPU 1\.60 {2}1\.55–1\.65/,
    );
    expect(lines).toMatch(/passthroughToFastify +not judged: .* instructions not measured, CPU 1\.60/);
    expect(lines).toContain('0 met, 1 missed, 2 not judged');
  });
});
