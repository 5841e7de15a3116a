import assert from 'node:assert/strict';
import type { Answer } from './load/traffic.ts';

/** Fails unless an answer is this error of the contract. */
export function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  const { error } = JSON.parse(body) as { error?: { code: string } };
  assert.deepEqual([status, error?.code], [expected, code]);
}
