import { createConfigWatch } from '../../../../src/gateway/reload/watch-config.ts';
import { eventually } from '../../../support/time/eventually.ts';

/** Watches texts that are refused whenever they are tried, and counts how often that is. `onTry` may change them. */
async function countTries(disk: { text: string }, onTry: () => void = () => undefined): Promise<number> {
  let looks = 0;
  let tries = 0;
  const watch = createConfigWatch({
    folders: () => [],
    fingerprint() {
      looks += 1;
      return disk.text;
    },
    fingerprintInForce: () => undefined,
    onChange() {
      tries += 1;
      onTry();
      return Promise.resolve();
    },
    onUnwatched: () => undefined,
    quietMs: 20,
    pollMs: 20,
  });
  watch.set(true);
  await eventually(() => looks > 10);
  watch.close();
  return tries;
}

describe('the watch of a configuration', () => {
  it('tries refused texts only once', async () => {
    expect(await countTries({ text: 'refused' })).toBe(1);
  });

  it('tries texts again that are put back after others were read and refused in their place', async () => {
    const disk = { text: 'sound' };
    let isFirst = true;
    const tries = await countTries(disk, () => {
      if (!isFirst) return;
      isFirst = false;
      disk.text = 'others';
      setImmediate(() => void (disk.text = 'sound'));
    });
    expect(tries).toBe(2);
  });
});
