import { closest } from '../../../src/config/validate/closest.ts';

describe('the word that was meant', () => {
  const known = ['timeout', 'concurrency', 'baseUrl'];

  it.each([
    ['timout', 'timeout'],
    ['Timeout', 'timeout'],
    ['baseURL', 'baseUrl'],
    ['concurency', 'concurrency'],
  ])('of %s is %s', (word, meant) => expect(closest(word, known)).toBe(meant));

  it.each(['retries', 'x', '', 'headers'])('of %j is none of them', (word) =>
    expect(closest(word, known)).toBeUndefined(),
  );

  it('is nothing where nothing is known', () => expect(closest('timeout', [])).toBeUndefined());
});
