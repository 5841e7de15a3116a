import { createRequestActions } from '../../../../src/admin/actions/requests/request-actions.ts';
import { gatheredActions } from '../../../../src/admin/actions/requests/merge-worker-requests.ts';
import type { ActionValue } from '../../../../src/admin/api/action-table.ts';
import { createRecentRequests } from '../../../../src/telemetry/requests/recent-requests.ts';

const START = Date.UTC(2026, 0, 31, 3, 0, 0);
const iso = (ms: number) => new Date(ms).toISOString();

type Listed = ActionValue<'requests'>;

/** A process that gets a request each second, each of which takes 40 ms, without a Redis. */
function openProcess() {
  let now = START;
  const clock = { now: () => now };
  const recent = createRecentRequests({ clock, instance: 'one:1', slowMs: 1_000 });
  const { requests } = createRequestActions({ recent, requestIndex: undefined, clock });
  function answer(count: number, status: number): void {
    for (let at = 0; at < count; at += 1) {
      now += 1_000;
      const line = {
        ...{ requestId: `req_${now}`, operation: 'users.list', method: 'GET', status, aborted: undefined },
        ...{ caller: 'one', cache: 'miss', durationMs: 40 },
      };
      recent.add({ line, status, startedAt: 0, plan: undefined, timings: undefined });
    }
  }
  const list = async (input = {}) =>
    (await requests?.(
      { limit: '1000', ...input },
      { actor: { name: 'ada', role: 'viewer' }, note: () => undefined },
    )) as Listed;
  return { answer, list };
}

describe('a list of requests', () => {
  it('says nothing of older ones while all are kept', async () => {
    const { answer, list } = openProcess();
    answer(249, 502);
    expect((await list()).completeSince).toBeUndefined();
  });

  it('says since when all are kept, once older ones of their kind are gone', async () => {
    const { answer, list } = openProcess();
    answer(260, 502);
    const { completeSince, requests } = await list();
    expect([completeSince, requests.length]).toEqual([iso(START + 11_000), 250]);
    expect((await list({ since: iso(START + 11_000) })).completeSince).toBeUndefined();
  });

  it('does not count those of another kind as gone', async () => {
    const { answer, list } = openProcess();
    answer(200, 404);
    answer(3, 502);
    expect((await list({ status: '5xx' })).completeSince).toBeUndefined();
  });
});

it('the list of several workers is complete since all of theirs are', () => {
  const of = (completeSince: string | undefined) => {
    const value = {
      scope: 'process',
      since: iso(START),
      completeSince,
      slowMs: 1_000,
      notes: [],
      requests: [],
    };
    return { kind: 'done', value } as const;
  };
  const [one, other] = [iso(START + 1_000), iso(START + 2_000)];
  expect(gatheredActions.requests?.([of(other), of(one), of(undefined)], {})).toMatchObject({
    value: { completeSince: other },
  });
});
