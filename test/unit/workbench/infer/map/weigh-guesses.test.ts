import { type Guess, weighGuesses } from '../../../../../src/workbench/infer/map/weigh-guesses.ts';

const texts = (count: number) => Array.from({ length: count }, (_, index) => ` t${index}`);
const guess = (more: Partial<Guess> = {}): Guess => ({
  step: 'trim',
  touched: texts(5),
  against: [],
  ...more,
});

describe('a guess that changes texts', () => {
  it('is taken if five texts show it and none speaks against it', () => {
    expect(weighGuesses([guess()], 20)).toEqual({ steps: ['trim'], words: [], remarks: [], doubts: [] });
  });

  it.each<[string, Guess, boolean]>([
    ['four texts show it', guess({ touched: texts(4) }), false],
    ['a text speaks against it', guess({ against: ['x'] }), false],
    ['a filter asks for these texts', guess(), true],
  ])('is for the operator if %s', (_why, one, isAsked) => {
    const { steps, doubts } = weighGuesses([one], 20, isAsked);
    expect(steps).toEqual([]);
    expect(doubts).toMatchObject([{ level: 'edit', isOfSteps: true }]);
    expect(doubts[0]?.text).toContain(`trim would change ${one.touched.length} of 20 texts`);
  });

  it('is not mentioned if it changes nothing', () => {
    const nothing = { steps: [], words: [], remarks: [], doubts: [] };
    expect(weighGuesses([guess({ touched: [] })], 20)).toEqual(nothing);
  });

  it('becomes a word of nullIf if it is one', () => {
    expect(weighGuesses([guess({ step: 'nullIf', word: 'N/A' })], 20)).toMatchObject({
      steps: [],
      words: ['N/A'],
    });
  });

  it('says what it was told to say, once it is taken', () => {
    expect(weighGuesses([guess({ remark: 'as in all texts' })], 20).remarks).toEqual([
      { level: 'likely', text: 'as in all texts' },
    ]);
  });

  it('shows the forms of texts, at most three of them, and no text', () => {
    const touched = [' Ada', 'B 1', 'ccc', 'dd'];
    const [doubt] = weighGuesses([guess({ touched })], 20).doubts;
    expect(doubt?.text).toContain("'_Aaa', 'A 9', 'aaa', …");
    expect(doubt?.text).not.toContain('Ada');
  });
});
