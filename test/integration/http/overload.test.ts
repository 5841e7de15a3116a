import { systemClock } from '../../../src/kernel/clock.ts';
import { operation, replyOf, startPublicListener } from '../../support/gateway/public-listener.ts';
import { connectRaw, type RawAnswer, type RawConnection, request } from '../../support/client/raw-client.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const CONNECTIONS = 6;
const EACH = 50;
const GET = request('GET', '/v1/users');

let now = 0;
const refusals: [string, string][] = [];

// Every answer takes a millisecond by the only clock that is looked at.
const handler = () => ((now += 1), replyOf('{}'));
const listener = startForAll(() =>
  startPublicListener({
    operations: [operation(handler)],
    overload: { eventLoopDelayMax: 50, inFlightMax: 1_000 },
    clock: { ...systemClock, monotonic: () => now },
    metrics: { overloaded: (name, reason) => void refusals.push([name, reason]) },
  }),
);
const connections = startForAll(() =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => connectRaw(listener.port))),
);

async function answersOn(connection: RawConnection): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  while (answers.length < EACH) answers.push(await connection.answer());
  return answers;
}

/** All at once: they are read in one turn of the event loop, or in few where the machine is busy. */
async function askAll(): Promise<RawAnswer[]> {
  for (const connection of connections) connection.send(GET.repeat(EACH));
  return (await Promise.all(connections.map(answersOn))).flat();
}

describe('more requests at once than can be answered in time', () => {
  it('are answered or refused, each with its line in the log, and counted', async () => {
    const answers = await askAll();
    while (answers.every(({ status }) => status === 200)) answers.push(...(await askAll()));
    const refused = answers.filter(({ status }) => status === 503);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length + refused.length).toBe(answers.length);
    // No more are refused than were answered before.
    expect(good.length).toBeGreaterThanOrEqual(refused.length);
    expect(refusals).toEqual(refused.map(() => ['none', 'event_loop']));
    for (const { headers, body } of refused) {
      const requestId = headers['x-request-id'] ?? '';
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(headers['connection']).toBe('keep-alive');
      expect(JSON.parse(body.toString())).toMatchObject({
        error: { code: 'overloaded', request_id: requestId },
      });
      const line = await listener.line((logLine) => logLine['requestId'] === requestId);
      expect(line).toMatchObject({ level: 50, status: 503, code: 'overloaded', msg: 'request' });
    }
  });

  it('keep their connections open: refused clients can ask again', async () => {
    now += 1_000;
    for (const connection of connections) {
      connection.send(GET);
      expect((await connection.answer()).status).toBe(200);
    }
  });
});
