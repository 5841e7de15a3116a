import { allOrAbort } from '../../../../../src/pipeline/reading/windows/all-or-abort.ts';
import { rowVanished } from '../../../../../src/pipeline/reading/windows/plan-failure.ts';
import type { CallContext } from '../../../../../src/pipeline/reading/windows/source-runtime.ts';

const contextOf = (signal = new AbortController().signal) =>
  ({ signal, usage: { upstreamCalls: 0, upstreamMs: 0 }, priority: 'caller' }) as unknown as CallContext;

/** A part that ends only by an abort. */
const untilAborted = ({ signal }: CallContext) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

describe('parts of a call that run at once', () => {
  it('bring all results, in their order', async () => {
    const late = new Promise<number>((resolve) => {
      setImmediate(() => resolve(1));
    });
    expect(await allOrAbort(contextOf(), () => [late, Promise.resolve(2)])).toEqual([1, 2]);
  });

  it('bring nothing if there are none', async () =>
    expect(await allOrAbort(contextOf(), () => [])).toEqual([]));

  it('are aborted by one that rejects, which is the result', async () => {
    let seen: AbortSignal | undefined;
    const run = allOrAbort(contextOf(), (within) => {
      seen = within.signal;
      return [untilAborted(within), Promise.reject(new Error('refused'))];
    });
    await expect(run).rejects.toThrow('refused');
    expect(seen?.aborted).toBe(true);
  });

  it('are aborted by a plan failure, which is the result although the others reject then', async () => {
    const run = allOrAbort(contextOf(), (within) => [untilAborted(within), Promise.resolve(rowVanished)]);
    expect(await run).toBe(rowVanished);
  });

  it('are aborted with the call that they are of', async () => {
    const call = new AbortController();
    const run = allOrAbort(contextOf(call.signal), (within) => [untilAborted(within)]);
    call.abort();
    await expect(run).rejects.toThrow('aborted');
  });

  it('do not abort the call that they are of', async () => {
    const call = new AbortController();
    await allOrAbort(contextOf(call.signal), () => [Promise.resolve(rowVanished)]);
    expect(call.signal.aborted).toBe(false);
  });
});
