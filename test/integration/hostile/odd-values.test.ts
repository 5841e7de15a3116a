import type { IncomingMessage } from 'node:http';
import { connectRaw, request } from '../../support/client/raw-client.ts';
import { checkAnswer } from '../../support/client/openapi-check.ts';
import { startSourceGateway } from '../../support/gateway/start-gateway.ts';
import { KEY, startStack } from '../../support/gateway/stack.ts';
import { holdsControl, oddTargets, oddValues } from '../../support/hostile/odd-values.ts';
import { fragileSource, startFragileUpstream } from '../../support/upstream/fragile-upstream.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

/** Row U24 of the fault matrix asks for a thousand. */
const VALUES = 300;

type Asked = { readonly status: number; readonly code: string | undefined; readonly target: string };

/** Asks for targets as they are, one after the other: `fetch` would mend them. Every answer is checked. */
async function askAll(
  port: number,
  targets: readonly string[],
  headers: readonly string[] = [],
): Promise<readonly Asked[]> {
  const client = await connectRaw(port);
  const answers: Asked[] = [];
  for (const target of targets) {
    client.send(request('GET', target, headers));
    const answer = await client.answer();
    const body = answer.body.toString();
    checkAnswer('GET', target, {
      status: answer.status,
      header: (name) => answer.headers[name.toLowerCase()]?.toString() ?? null,
      body,
    });
    const { error } = JSON.parse(body) as { error?: { code: string } };
    answers.push({ status: answer.status, code: error?.code, target });
  }
  client.close();
  return answers;
}

const partsOf = ({ url = '', rawHeaders }: IncomingMessage) => [url, ...rawHeaders];

describe('odd values, as every parameter and every id of the sample sources', () => {
  const received: string[] = [];
  const stack = startForAll(startStack);
  beforeAll(() => {
    for (const { server } of [stack.services.users, stack.services.catalog])
      server.on('request', (incoming: IncomingMessage) => received.push(...partsOf(incoming)));
  });

  it('are each answered as the contract says, none with a 5xx, and no source receives a control character', async () => {
    const targets = oddValues(VALUES).flatMap(oddTargets);
    const answers = await askAll(stack.port, targets, [`X-API-Key: ${KEY}`]);
    expect(answers.filter(({ status }) => ![200, 400, 404].includes(status))).toEqual([]);
    expect(received.filter(holdsControl)).toEqual([]);
    expect(received.length).toBeGreaterThan(0);
  });
});

describe('a source whose ids and labels may be any text', () => {
  const upstream = startForAll(startFragileUpstream);
  const gateway = startForAll(() => startSourceGateway(fragileSource('fragile', upstream.origin)));

  /** The answer, and how often the source was asked for it. */
  async function asked(path: string): Promise<[status: number, body: unknown, calls: number]> {
    const { calls } = upstream;
    const response = await gateway.get(path);
    return [response.status, await response.json(), upstream.calls - calls];
  }

  it.each(['%00', 'Toys%00', '%00Toys', 'To%1fys', 'Toys%7f', 'Toys%c2%85'])(
    'has an empty page for category=%s, and is not asked',
    async (value) => {
      const [status, body, calls] = await asked(`/v1/products?category=${value}`);
      expect([status, calls]).toEqual([200, 0]);
      expect(body).toMatchObject({ data: [], meta: { total: 0 } });
    },
  );

  it.each(['To%09ys', 'Toys%0a', '%0d%0aToys'])(
    'has an empty page for category=%s, and is not asked for that text',
    async (value) => {
      const [status, body] = await asked(`/v1/products?category=${value}`);
      expect([status, body]).toMatchObject([200, { data: [], meta: { total: 0 } }]);
    },
  );

  it.each(['ada~00', '~00', 'a~09b', 'a~0d~0ab', 'ada~7f', 'ada~c2~85', 'ada%00', 'ada%0a'])(
    'has no user_%s, and is not asked',
    async (id) => {
      const [status, , calls] = await asked(`/v1/users/user_${id}`);
      expect([status, calls]).toEqual([404, 0]);
    },
  );

  it('never receives a control character, whatever values it is asked for', async () => {
    const { calls } = upstream;
    await askAll(gateway.port, oddValues(200).flatMap(oddTargets));
    expect(upstream.calls - calls).toBeGreaterThan(100);
    const parts = upstream.requests.flatMap(({ target, headers, body }) => [
      ...[target, body],
      ...Object.values(headers).map(String),
    ]);
    expect(parts.filter(holdsControl)).toEqual([]);
  });
});
