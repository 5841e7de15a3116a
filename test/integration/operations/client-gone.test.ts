import { eventually } from '../../support/time/eventually.ts';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { connectRaw, request } from '../../support/client/raw-client.ts';
import { operationCases } from '../../support/gateway/operation-cases.ts';
import { KEY, startStack } from '../../support/gateway/stack.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const upstream = startForEach(() => startUpstream(() => undefined));
const stack = startForEach(() => startStack({ upstream: upstream.origin }));

async function askAndWait(path: string) {
  const client = await connectRaw(stack.port);
  client.send(request('GET', path, [`X-API-Key: ${KEY}`]));
  return client;
}

describe('a client that leaves before its answer', () => {
  it.each(operationCases)('$name: ends the call to the upstream', async ({ path }) => {
    const client = await askAndWait(path);
    await upstream.receives('\r\n\r\n');
    client.close();
    expect(await upstream.disconnected()).toBe(1);
  });

  it.each(operationCases.filter(({ translated }) => translated))(
    '$name: ends it only when nobody else waits for the same answer',
    async ({ path }) => {
      const [first, second] = [await askAndWait(path), await askAndWait(path)];
      await upstream.receives('\r\n\r\n');
      first.close();
      // Once its line is logged, the first client's leaving has been dealt with.
      await eventually(() => stack.log.some((line) => line.includes('"aborted":true')));
      expect(upstream.received).toHaveLength(1);
      second.close();
      expect(await upstream.disconnected()).toBe(1);
    },
  );
});
