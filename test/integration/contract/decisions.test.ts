import { readdirSync, readFileSync } from 'node:fs';
import { decisions } from './decisions.ts';

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
const tests = files.filter((name) => name.endsWith('.test.ts'));
const quoted = tests.flatMap((name) => {
  const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
  return [...text.matchAll(/describe\(decision\('([^']+)'\)/g)].map((match) => match[1]);
});

describe('the decisions of the contract', () => {
  it('are each quoted by the name of a test', () => {
    expect(Object.keys(decisions).filter((row) => !quoted.includes(row))).toEqual([]);
  });
});
