import { GatewayError } from '../../../../../src/kernel/errors/fault.ts';
import type { Priority } from '../../../../../src/kernel/upstream-call.ts';
import { createBulkhead, type BulkheadOptions } from '../../../../../src/source/client/bulkhead/bulkhead.ts';
import { eventually } from '../../../../support/time/eventually.ts';

/** Ends the calls that still wait after a test. */
let over = new AbortController();
afterEach(() => {
  over.abort(new Error('the test is over'));
  over = new AbortController();
});

/** A bulkhead whose calls end when the test says so. */
function openBulkhead(options: Partial<BulkheadOptions> & { max?: number; time?: number } = {}) {
  const { max = 100, time = 60_000, ...rest } = options;
  const bulkhead = createBulkhead({ concurrency: 1, queue: { max, time }, ...rest });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const failures = new Map<string, unknown>();
  /** Resolves with what became of the call. */
  function call(
    name: string,
    priority: Priority = 'caller',
    signal = over.signal,
    principal?: string,
  ): Promise<void> {
    const work = () => {
      begun.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    };
    return bulkhead
      .run({ priority, signal, usage: { principal } }, work)
      .catch((error: unknown) => void failures.set(name, error));
  }
  return { bulkhead, call, begun, end: (name: string) => ends.get(name)?.(), failures };
}

const codeOf = (error: unknown) => (error instanceof GatewayError ? error.code : String(error));
const turn = () => new Promise<void>((done) => setImmediate(done));

describe('bulkhead', () => {
  it('go to callers, then refreshes, then scans, then shadows, and within a class to who came first', async () => {
    const { call, begun, end } = openBulkhead();
    const calls = [call('first')];
    for (const name of ['shadow 1', 'scan 1', 'refresh 1', 'caller 1', 'scan 2', 'caller 2', 'refresh 2'])
      calls.push(call(name, name.split(' ')[0] as Priority));
    for (let at = 0; at < calls.length; at += 1) {
      end(begun[at] as string);
      await turn();
    }
    await Promise.all(calls);
    expect(begun.join()).toBe('first,caller 1,caller 2,refresh 1,refresh 2,scan 1,scan 2,shadow 1');
  });

  it('are waited for by no more than the bound: the newest of the least urgent is refused at once', async () => {
    const { bulkhead, call, failures, end } = openBulkhead({ max: 3 });
    void call('first');
    for (const name of ['a', 'b', 'c']) void call(name, name === 'a' ? 'caller' : 'scan');
    await call('another scan', 'scan');
    void call('urgent');
    await turn();
    expect(bulkhead.waiting).toBe(3);
    expect([...failures].map(([name, error]) => [name, codeOf(error)])).toEqual([
      ['another scan', 'overloaded'],
      ['c', 'overloaded'],
    ]);
    const { retryAfterSeconds } = failures.get('c') as GatewayError;
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    for (const name of ['first', 'a', 'urgent', 'b']) {
      end(name);
      await turn();
    }
    expect([bulkhead.active, bulkhead.waiting]).toEqual([0, 0]);
  });

  it('are waited for by a caller or a refresh no longer than the queue lets it, and by a scan for longer', async () => {
    const { bulkhead, call, failures, begun, end } = openBulkhead({ time: 30 });
    void call('first');
    void call('scan', 'scan');
    const start = performance.now();
    await Promise.all([call('caller'), call('refresh', 'refresh')]);
    expect(performance.now() - start).toBeGreaterThanOrEqual(28);
    expect([...failures.values()].map(codeOf)).toEqual(['overloaded', 'overloaded']);
    expect(bulkhead.waiting).toBe(1);
    end('first');
    await turn();
    expect(begun).toEqual(['first', 'scan']);
  });

  it('skip callers that have gone, and the others get theirs', async () => {
    const { bulkhead, call, failures, begun, end } = openBulkhead();
    void call('first');
    const controller = new AbortController();
    const gone = call('gone', 'caller', controller.signal);
    void call('stays');
    controller.abort(new Error('client gone'));
    await gone;
    await call('too late', 'caller', controller.signal);
    expect([...failures.values()].map(String)).toEqual(['Error: client gone', 'Error: client gone']);
    end('first');
    await turn();
    expect([begun, bulkhead.waiting]).toEqual([['first', 'stays'], 0]);
  });

  it('are free again after a failed call', async () => {
    const { bulkhead, call, begun } = openBulkhead();
    const failed = bulkhead.run({ priority: 'caller', signal: over.signal }, () =>
      Promise.reject(new Error('broken')),
    );
    void call('next');
    await expect(failed).rejects.toThrow('broken');
    await turn();
    expect(begun).toEqual(['next']);
  });

  it('are granted only as fast as the rate allows, each time to the most urgent call', async () => {
    const answers: ((wait: number) => void)[] = [];
    const takeToken = () => new Promise<number>((answer) => answers.push(answer));
    const { call, begun } = openBulkhead({ concurrency: 8, takeToken });
    void call('scan', 'scan');
    void call('caller');
    // A token is requested for each call at once, so that a slow store costs its time once, not once per call.
    expect([begun, answers.length]).toEqual([[], 2]);
    answers[0]?.(0);
    await turn();
    expect([begun, answers.length]).toEqual([['caller'], 2]);
    answers[1]?.(1);
    await eventually(() => answers.length === 3);
    expect(begun).toEqual(['caller']);
    answers[2]?.(0);
    await turn();
    expect(begun).toEqual(['caller', 'scan']);
  });

  it.each([
    ['the rate', { takeToken: () => 60_000, perSecond: 2 }, 40, 20],
    ['the rate, where that is less than a second', { takeToken: () => 60_000, perSecond: 200 }, 40, 1],
    ['the rate, and no later than in a minute', { takeToken: () => 60_000, perSecond: 2 }, 500, 60],
    ['its own rate where nothing bounds it', {}, 40, 1],
  ])(
    'tell who is refused to come again once those who wait are gone, by %s',
    async (_by, how, max, after) => {
      const { call, failures } = openBulkhead({ ...how, max: max - 1 });
      // One call has a slot where no token is needed.
      const all = Array.from({ length: 'takeToken' in how ? max : max + 1 }, (_, at) => call(`call ${at}`));
      await Promise.race(all);
      expect([...failures.values()].map((error) => (error as GatewayError).retryAfterSeconds)).toEqual([
        after,
      ]);
    },
  );

  it('are asked for no more often than there are free ones, and not again while the rate says to wait', async () => {
    let asked = 0;
    const takeToken = () => ((asked += 1) <= 2 ? Promise.resolve(0) : 60_000);
    const { bulkhead, call, begun, end } = openBulkhead({ concurrency: 2, takeToken });
    for (const name of ['a', 'b', 'c', 'd', 'e']) void call(name, 'scan');
    await turn();
    expect([begun, asked]).toEqual([['a', 'b'], 2]);
    end('a');
    await turn();
    end('b');
    await turn();
    expect([begun, asked, bulkhead.waiting]).toEqual([['a', 'b'], 3, 3]);
  });
});

describe('principals at one source', () => {
  it.each([1, 8])('take turns at free slots, the oldest call of each first, with %i slots', async (slots) => {
    const { call, begun, end } = openBulkhead({ concurrency: slots });
    const held = Array.from({ length: slots }, (_, at) => call(`held ${at}`));
    const calls = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) =>
      call(name, 'caller', over.signal, name[0]),
    );
    for (let at = 0; at < slots + calls.length; at += 1) {
      end(begun[at] as string);
      await turn();
    }
    await Promise.all([...held, ...calls]);
    expect(begun.slice(slots).join()).toBe('a1,b1,c1,a2,b2,a3');
  });

  it('have no more waiting calls than a part of the queue while others wait, too', async () => {
    const { bulkhead, call, failures } = openBulkhead({ concurrency: 4, max: 40 });
    for (let at = 0; at < 4; at += 1) void call(`held ${at}`);
    void call('other', 'caller', over.signal, 'other');
    for (let at = 0; at < 7; at += 1) void call(`odd ${at}`, 'caller', over.signal, 'odd');
    await turn();
    expect([bulkhead.waiting, [...failures.keys()]]).toEqual([6, ['odd 5', 'odd 6']]);
    expect(codeOf(failures.get('odd 5'))).toBe('overloaded');
  });

  it('have all slots and the whole queue if nobody else asks and their calls are not slow', async () => {
    const { bulkhead, call, failures } = openBulkhead({ concurrency: 4, max: 40 });
    for (let at = 0; at < 44; at += 1) void call(`call ${at}`, 'caller', over.signal, 'only');
    await turn();
    expect([bulkhead.active, bulkhead.waiting, failures.size]).toEqual([4, 40, 0]);
    // A full queue refuses the caller that fills it, not the one that comes last.
    void call('other', 'caller', over.signal, 'other');
    await turn();
    expect([bulkhead.waiting, [...failures.keys()]]).toEqual([40, ['call 43']]);
  });
});
