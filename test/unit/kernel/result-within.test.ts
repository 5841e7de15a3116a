import { resultWithin } from '../../../src/kernel/result-within.ts';

const HOUR_MS = 3_600_000;

describe('the result of work within a time', () => {
  it('is that of the work', async () => {
    expect(await resultWithin(HOUR_MS, Promise.resolve(7))).toBe(7);
  });

  it('is none if the work fails', async () => {
    const failed: Promise<number> = Promise.reject(new Error('it fails'));
    expect(await resultWithin(HOUR_MS, failed)).toBeUndefined();
  });

  it('is none if the work takes longer, whatever comes of it then', async () => {
    const { promise, reject } = Promise.withResolvers<number>();
    expect(await resultWithin(1, promise)).toBeUndefined();
    reject(new Error('too late'));
  });
});
