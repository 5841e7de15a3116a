import { createInFlightLimit } from '../../../../src/http/shedding/in-flight-limit.ts';
import type { RequestContext } from '../../../../src/http/listener/request-context.ts';

const DELAY_MS_MAX = 50;
const SOURCE_MS = 20;

/** What is read of a request. */
type Counted = Pick<RequestContext, 'operation' | 'startedAt'> & {
  isCounted: boolean;
  summary: { upstreamCalls: number; upstreamMs: number };
};

/** A process that answers one request of an operation in each millisecond. */
function load({ inFlightMax = 10_000, upstreamCalls = 1 } = {}) {
  let now = 1_000;
  const clock = { monotonic: () => now };
  let isRefusable = true;
  const bounds = { inFlightMax, delayMsMax: DELAY_MS_MAX };
  const inFlight = createInFlightLimit({ ...bounds, clock, mayBeRefused: () => isRefusable });
  const waiting: Counted[] = [];

  function enter(operation = 'users', mayBeRefused = true) {
    const summary = { upstreamCalls, upstreamMs: SOURCE_MS };
    const context: Counted = { operation, startedAt: now, isCounted: false, summary };
    isRefusable = mayBeRefused;
    const entry = inFlight.enter(context as RequestContext);
    if (entry === 'entered') waiting.push(context);
    return entry;
  }

  const answer = () => inFlight.release(waiting.shift() as unknown as RequestContext);

  /** Answers the oldest request in each millisecond and asks for as many as are let in, `ms` times. */
  function run(ms: number, mayBeRefused = true): void {
    for (let passed = 0; passed < ms; passed += 1) {
      now += 1;
      if (waiting.length > 0) answer();
      for (let asked = 0; asked < 3; asked += 1) if (waiting.length < 1_000) enter('users', mayBeRefused);
    }
  }

  /** Answers all at once, as after a moment without the processor, and again 30 ms later. */
  function stall(ms: number): void {
    now += ms;
    while (waiting.length > 0) answer();
  }

  return { enter, run, stall, inFlight, waiting };
}

const fill = (enter: () => unknown, count: number) => Array.from({ length: count }, enter);

describe('requests in flight', () => {
  it('are let in until even the fastest takes the process longer than it may, beyond the time of its source', () => {
    const { run, waiting } = load();
    run(20_000);
    // One in each millisecond: 70 take the 20 ms of the source and 50 ms of the process.
    expect(waiting.length).toBeGreaterThan(35);
    expect(waiting.length).toBeLessThan(110);
  });

  it('are let in all the same where the client may not be refused', () => {
    const { run, enter } = load();
    run(5_000);
    while (enter() === 'entered');
    expect(enter('users', false)).toBe('entered');
  });

  it('say nothing of another operation', () => {
    const { run, enter } = load();
    run(5_000);
    while (enter() === 'entered');
    expect(enter('users')).toBe('congested');
    expect(enter('products')).toBe('entered');
  });

  it('are not bound by a moment without the processor, in which only some took long', () => {
    const { enter, stall } = load();
    for (let stalls = 0; stalls < 20; stalls += 1) {
      fill(() => enter('users'), 200);
      stall(200);
      enter('users');
      stall(30);
    }
    expect(fill(() => enter('users'), 500).filter((entry) => entry === 'congested')).toEqual([]);
  });

  it('are never congested where no source is asked', () => {
    const { run, waiting } = load({ upstreamCalls: 0 });
    run(5_000);
    expect(waiting).toHaveLength(1_000);
  });

  it('are bound no more once the process answers in time again', () => {
    const { run, enter, stall } = load();
    run(5_000);
    for (let calm = 0; calm < 200; calm += 1) {
      enter();
      stall(30);
    }
    expect(fill(() => enter('users'), 1_000).filter((entry) => entry === 'congested')).toEqual([]);
  });

  it('are at most as many as the configuration says, whether the client may be refused or not', () => {
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
