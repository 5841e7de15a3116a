import { createInFlight } from '../../../../src/http/shedding/in-flight.ts';
import type { RequestContext } from '../../../../src/http/listener/request-context.ts';

const DELAY_MS_MAX = 50;
const SOURCE_MS = 20;

/** What is read of a request. */
type Counted = Pick<RequestContext, 'operation' | 'startedAt'> & {
  isCounted: boolean;
  trace: { upstreamCalls: number; upstreamMs: number };
};

/** A process in which so many requests of an operation are answered in a millisecond. */
function load({ inFlightMax = 10_000, upstreamCalls = 1 } = {}) {
  const inFlight = createInFlight({ inFlightMax, delayMsMax: DELAY_MS_MAX });
  const waiting: Counted[] = [];
  let now = 1_000;

  function enter(operation = 'users', mayBeRefused = true) {
    const trace = { upstreamCalls, upstreamMs: SOURCE_MS };
    const context: Counted = { operation, startedAt: now, isCounted: false, trace };
    const entry = inFlight.enter(context as RequestContext, () => mayBeRefused);
    if (entry === 'entered') waiting.push(context);
    return entry;
  }

  /** Answers one request in each millisecond and lets the next one in, `ms` times. */
  function run(ms: number): void {
    for (let passed = 0; passed < ms; passed += 1) {
      now += 1;
      inFlight.release(waiting.shift() as unknown as RequestContext);
      enter('users', false);
    }
  }

  return { enter, run, pass: (ms: number) => void (now += ms), inFlight, waiting };
}

const fill = (enter: () => unknown, count: number) => Array.from({ length: count }, enter);

describe('requests in flight', () => {
  it('are congested where the process answers them later than it may, beyond the time of their source', () => {
    const { enter, run } = load();
    fill(enter, 60);
    run(600);
    // One in each millisecond: 70 take the 20 ms of the source and 50 ms of the process.
    const entries = fill(enter, 20);
    expect(entries.filter((entry) => entry === 'entered')).toHaveLength(10);
    expect(entries.at(-1)).toBe('congested');
  });

  it('are let in all the same where the client may not be refused', () => {
    const { enter, run } = load();
    fill(enter, 200);
    run(600);
    expect(enter('users', false)).toBe('entered');
  });

  it('say nothing of another operation', () => {
    const { enter, run } = load();
    fill(enter, 200);
    run(600);
    expect(enter('users')).toBe('congested');
    expect(enter('products')).toBe('entered');
  });

  it('are never congested where no source is asked, nor after a pause that no rate can be told from', () => {
    const kept = load({ upstreamCalls: 0 });
    fill(kept.enter, 200);
    kept.run(600);
    expect(kept.enter()).toBe('entered');
    const asked = load();
    fill(asked.enter, 200);
    asked.run(600);
    asked.pass(5_000);
    expect(asked.enter()).toBe('entered');
  });

  it('are at most as many as the configuration says, whoever asks', () => {
    const { enter } = load({ inFlightMax: 3 });
    expect(fill(() => enter('users', false), 4)).toEqual(['entered', 'entered', 'entered', 'full']);
  });

  it('are counted no more once they were released, and released once', () => {
    const { enter, inFlight, waiting } = load({ inFlightMax: 1 });
    enter();
    const [context] = waiting as unknown as [RequestContext];
    expect(enter()).toBe('full');
    expect([inFlight.release(context), inFlight.release(context)]).toEqual([true, false]);
    expect(enter()).toBe('entered');
    expect(enter()).toBe('full');
  });
});
