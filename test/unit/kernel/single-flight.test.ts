import { createSingleFlight, type SingleFlight } from '../../../src/kernel/single-flight.ts';

/** Work that the test ends when it likes. */
function manualWork() {
  const runs: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] =
    [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      runs.push({ signal, resolve, reject });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return { runs, work };
}

const forever = () => new AbortController().signal;

let flights: SingleFlight<string>;
beforeEach(() => {
  flights = createSingleFlight<string>();
});

describe('single flight', () => {
  it('runs once for all callers of a key, and gives each the result', async () => {
    const { runs, work } = manualWork();
    const callers = Array.from({ length: 100 }, () => flights.run('key', forever(), work));
    expect(runs).toHaveLength(1);
    expect(flights.size).toBe(1);
    runs[0]!.resolve('done');
    expect(await Promise.all(callers)).toEqual(new Array(100).fill('done'));
    expect(flights.size).toBe(0);
  });

  it('runs keys apart', async () => {
    const { runs, work } = manualWork();
    const callers = ['a', 'b'].map((key) => flights.run(key, forever(), work));
    runs.forEach((run, index) => run.resolve(String(index)));
    expect(await Promise.all(callers)).toEqual(['0', '1']);
  });

  it('fails all callers of a failed run, and keeps nothing of it', async () => {
    const { runs, work } = manualWork();
    const callers = [1, 2].map(() => flights.run('key', forever(), work));
    runs[0]!.reject(new Error('broken'));
    const results = await Promise.allSettled(callers);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    const again = flights.run('key', forever(), work);
    runs[1]!.resolve('mended');
    expect(await again).toBe('mended');
  });

  it('rejects a caller that leaves at once, with its own reason, while the others get the result', async () => {
    const { runs, work } = manualWork();
    const leavingCaller = new AbortController();
    const gone = flights.run('key', leavingCaller.signal, work);
    const stays = flights.run('key', forever(), work);
    leavingCaller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    expect(runs[0]!.signal.aborted).toBe(false);
    runs[0]!.resolve('done');
    expect(await stays).toBe('done');
    expect(runs).toHaveLength(1);
  });

  it('cancels the work when the last caller has gone, for its reason, and runs anew for the next', async () => {
    const { runs, work } = manualWork();
    const controllers = [new AbortController(), new AbortController()];
    const callers = controllers.map(({ signal }) => flights.run('key', signal, work));
    controllers[0]!.abort(new Error('first'));
    expect(runs[0]!.signal.aborted).toBe(false);
    controllers[1]!.abort(new Error('second'));
    expect(runs[0]!.signal.reason).toEqual(new Error('second'));

    const next = flights.run('key', forever(), work);
    expect(runs).toHaveLength(2);
    expect(runs[1]!.signal.aborted).toBe(false);
    await expect(callers[0]).rejects.toThrow('first');
    await expect(callers[1]).rejects.toThrow('second');
    // The end of the cancelled run must not take the new one with it.
    expect(flights.size).toBe(1);
    runs[1]!.resolve('new');
    expect(await next).toBe('new');
  });

  it('does not start work for a caller that has gone already', async () => {
    const { runs, work } = manualWork();
    await expect(flights.run('key', AbortSignal.abort(new Error('gone')), work)).rejects.toThrow('gone');
    expect(runs).toHaveLength(0);
  });

  it('keeps a finished result if its caller leaves afterwards', async () => {
    const { runs, work } = manualWork();
    const caller = new AbortController();
    const result = flights.run('key', caller.signal, work);
    runs[0]!.resolve('done');
    await result;
    caller.abort();
    expect(await result).toBe('done');
  });

  it('keeps no entry for work that throws at its start', async () => {
    const broken = () => {
      throw new Error('cannot start');
    };
    await expect(Promise.resolve().then(() => flights.run('key', forever(), broken))).rejects.toThrow(
      'cannot start',
    );
    expect(flights.size).toBe(0);
  });
});
