import {
  createRecentRequests,
  type FinishedRequest,
  type KeptRequest,
} from '../../../src/telemetry/requests/recent-requests.ts';
import { RequestTimings } from '../../../src/telemetry/requests/request-timings.ts';

let number = 0;
function finished(status: number, durationMs: number, over: Partial<FinishedRequest> = {}): FinishedRequest {
  number += 1;
  return {
    line: {
      ...{ requestId: `req_${number}`, operation: 'users.list', method: 'GET', status, aborted: undefined },
      ...{ caller: 'somebody', cache: 'miss', durationMs },
    },
    status,
    startedAt: 1_000,
    plan: undefined,
    timings: undefined,
    ...over,
  };
}

function open() {
  const kept: KeptRequest[] = [];
  const onKept = (one: KeptRequest) => void kept.push(one);
  const recent = createRecentRequests({
    clock: { now: () => 5_000 },
    instance: 'here:1',
    slowMs: 100,
    sourcesOf: (operation) => (operation === 'users.list' ? ['crm'] : ['crm', 'next']),
    onKept,
  });
  const statuses = () => recent.traces().map(({ status }) => status);
  return { recent, kept, count: (status: number) => statuses().filter((one) => one === status).length };
}

function traceOf(timings: RequestTimings, durationMs: number, status = 502) {
  const { recent } = open();
  recent.add(finished(status, durationMs, { timings }));
  return recent.traces()[0]!;
}

describe('recent requests', () => {
  it('are those with a status from 400 on, and those that took the configured time', () => {
    const { recent } = open();
    const wanted = [
      recent.wants(200, 99.9),
      recent.wants(200, 100),
      recent.wants(400, 0),
      recent.wants(304, 1),
    ];
    expect(wanted).toEqual([false, true, true, false]);
    recent.slowMs = 50;
    expect(recent.wants(200, 99.9)).toBe(true);
  });

  it.each([
    ['crm', 'users.list', 1],
    [undefined, 'users.list', 0],
    [undefined, 'users.get', 1],
  ])(
    'name the source that a slow one waited for, if it can be told: %s',
    (source, operation, upstreamCalls) => {
      const { recent } = open();
      const { line, ...rest } = finished(200, 150);
      recent.add({ ...rest, line: { ...line, operation, upstreamCalls } });
      expect(recent.traces()[0]?.source).toBe(source);
    },
  );

  it('are 500 at the most, and mistakes of clients and slow ones push out no failure', () => {
    const { recent, count } = open();
    for (let i = 0; i < 10; i += 1) recent.add(finished(502, 1));
    for (let i = 0; i < 1_000; i += 1) recent.add(finished(404, 1));
    for (let i = 0; i < 1_000; i += 1) recent.add(finished(200, 500));
    expect([count(502), count(404), count(200)]).toEqual([10, 125, 125]);
    for (let i = 0; i < 1_000; i += 1) recent.add(finished(503, 1));
    expect([count(502), count(503), recent.traces().length]).toEqual([0, 250, 500]);
  });

  it('keep the newest of a kind, and pass each on with its kind', () => {
    const { recent, kept } = open();
    for (let i = 0; i < 260; i += 1) recent.add(finished(500, 1));
    const newest = `req_${number}`;
    expect(recent.traces().some(({ requestId }) => requestId === newest)).toBe(true);
    recent.add(finished(429, 150));
    recent.add(finished(429, 1));
    expect(kept.slice(-3).map(({ kind }) => kind)).toEqual(['failed', 'slow', 'refused']);
  });

  it('say which is the oldest of a kind, once older ones of it may be gone', () => {
    const { recent } = open();
    for (let i = 0; i < 249; i += 1) recent.add(finished(500, 1));
    expect(recent.oldest()).toEqual([]);
    for (let i = 0; i < 11; i += 1) recent.add(finished(500, 1));
    expect(recent.oldest().map(({ requestId }) => requestId)).toEqual([`req_${number - 249}`]);
  });

  it('have the fields of the log line, when they came, and nothing else of a request', () => {
    const { recent } = open();
    const request = finished(502, 40);
    Object.assign(request.line, {
      ...{ path: '/hidden', code: 'upstream_error', source: 'crm' },
      odd: 'hidden',
    });
    recent.add(request);
    const [trace] = recent.traces();
    expect(trace).toMatchObject({ at: '1970-01-01T00:00:04.960Z', code: 'upstream_error', source: 'crm' });
    expect(JSON.stringify(trace)).not.toContain('hidden');
  });
});

describe('the timings of a request', () => {
  it('cover its time together with what lies between them, and name host and outcome but no path', () => {
    const timings = new RequestTimings();
    timings.add('cache', 1_002, 1_005);
    timings.add('upstream', 1_005, 1_045, 'http://crm.inner:81/a/secret/path', 503);
    timings.add('backoff', 1_045, 1_055);
    timings.add('upstream', 1_060, 1_090, 'http://crm.inner:81/a/secret/path', 'upstream_timeout');
    const trace = traceOf(timings, 100);
    expect(trace.timings).toEqual([
      { name: 'admission', startMs: 0, ms: 2 },
      { name: 'cache', startMs: 2, ms: 3 },
      { name: 'upstream', startMs: 5, ms: 40, detail: '503 from crm.inner:81' },
      { name: 'backoff', startMs: 45, ms: 10 },
      { name: 'gateway', startMs: 55, ms: 5 },
      { name: 'upstream', startMs: 60, ms: 30, detail: 'upstream_timeout from crm.inner:81' },
      { name: 'answer', startMs: 90, ms: 10 },
    ]);
    expect(trace.timings.reduce((sum, { ms }) => sum + ms, 0)).toBe(100);
  });

  it('may overlap, and none reaches beyond the time of its request', () => {
    const timings = new RequestTimings();
    timings.add('upstream', 1_000, 1_030, 'http://a', 200);
    timings.add('upstream', 1_010, 1_500, 'http://a', 200);
    const trace = traceOf(timings, 50);
    expect(trace.timings.map(({ startMs, ms }) => [startMs, ms])).toEqual([
      [0, 30],
      [10, 40],
    ]);
  });

  it('are bounded: further ones are counted, with the time that they took', () => {
    const timings = new RequestTimings();
    for (let i = 0; i < 200; i += 1) timings.add('upstream', 1_000 + i, 1_001 + i, 'http://a', 200);
    const trace = traceOf(timings, 200);
    expect(trace.timingsLeftOut).toBe(140);
    expect(trace.timings.slice(-1)).toEqual([
      { name: 'more', startMs: 60, ms: 140, detail: '140 further timings' },
    ]);
  });

  it.each([
    [401, 'admission'],
    [200, 'answer'],
  ])('of a request with %i that waited for nothing are one: %s', (status, name) => {
    const { recent } = open();
    recent.add(finished(status, 150));
    expect(recent.traces()[0]?.timings).toEqual([{ name, startMs: 0, ms: 150 }]);
  });
});
