import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { referenceDocument } from '../../../src/contract/reference-contract.ts';

describe('the contract that is built in', () => {
  it('is that of config/contract.yaml, so a gateway without a contract file answers the same', () => {
    const shipped: unknown = parse(readFileSync('config/contract.yaml', 'utf8'));
    expect(JSON.stringify(shipped)).toBe(JSON.stringify(referenceDocument));
  });
});
