import { readFileSync } from 'node:fs';
import { catalogue, entryOf, type ErrorCode, errorCodes } from '../../../src/kernel/errors/catalogue.ts';
import { freePort } from '../../support/process/free-port.ts';
import { openapi } from '../../support/client/openapi-check.ts';
import { type FaultName, startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import { hurry } from '../../support/gateway/operation-cases.ts';
import { type Stack, type StackOptions, startStack, USERS_KEY } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

type Produce = () => Promise<Response>;

async function withStack(options: StackOptions, ask: (stack: Stack) => Promise<Response>): Promise<Response> {
  return ask(endAfterTest(await startStack(options)));
}

const onDefaultStack =
  (ask: (stack: Stack) => Promise<Response>): Produce =>
  () =>
    withStack({}, ask);

const behind =
  (fault: FaultName): Produce =>
  async () => {
    const { origin } = endAfterTest(await startFailingUpstream(fault));
    const options = { upstream: origin, ...(fault === 'says nothing' ? { configure: hurry } : {}) };
    return withStack(options, (stack) => stack.get('/v1/users'));
  };

/** How each error comes about, over HTTP. */
const producers: Partial<Record<ErrorCode, Produce>> = {
  invalid_parameter: onDefaultStack((stack) => stack.get('/v1/users?page=0')),
  bad_request: onDefaultStack((stack) => stack.get('/v1/users?x=%zz')),
  authentication_required: onDefaultStack((stack) => stack.ask('/v1/users')),
  insufficient_permissions: onDefaultStack((stack) =>
    stack.ask('/v1/products', { headers: { 'x-api-key': USERS_KEY } }),
  ),
  not_found: onDefaultStack((stack) => stack.get('/v1/users/user_1')),
  method_not_allowed: onDefaultStack((stack) => stack.get('/v1/users', { method: 'DELETE' })),
  async rate_limit_exceeded() {
    const once = { windows: [{ points: 1, seconds: 60 }], onStoreFailure: 'open' as const, dryRun: false };
    return withStack({ configure: ({ limits }) => void (limits.tiers['roomy'] = once) }, async (stack) => {
      await stack.get('/v1/users');
      return stack.get('/v1/users');
    });
  },
  // A tier that does not exist: the checks of the configuration would not have let it pass.
  server_error: () =>
    withStack(
      {
        configure({ limits, resources }) {
          limits.anonymousTier = 'nowhere';
          if (resources.users !== undefined) resources.users.public = true;
        },
      },
      (stack) => stack.ask('/v1/users'),
    ),
  upstream_error: behind('answers 500'),
  upstream_invalid_response: behind('answers with a page of HTML'),
  upstream_unavailable: behind('refuses connections'),
  upstream_timeout: behind('says nothing'),
  scan_limit_exceeded: () =>
    withStack(
      { configure: (_, sources) => sources.forEach(({ budget }) => void (budget.rows = 39)) },
      (stack) => stack.get('/v1/users?sort=name'),
    ),
  async overloaded() {
    const upstream = endAfterTest(await startFailingUpstream('says nothing'));
    const configure: StackOptions['configure'] = (_, sources) => {
      for (const { net } of sources) Object.assign(net, { concurrency: 1, queue: { max: 1, time: 20 } });
    };
    return withStack({ upstream: upstream.origin, configure }, async (stack) => {
      const calls = [1, 2].map((page) => {
        const caller = new AbortController();
        return { caller, answer: stack.get(`/v1/users?page=${page}`, { signal: caller.signal }) };
      });
      const first = await Promise.race(calls.map((call) => call.answer.then(() => call)));
      // The other has the only place until its caller goes.
      for (const { caller, answer } of calls) if (answer !== first.answer) caller.abort();
      await Promise.allSettled(calls.map(({ answer }) => answer));
      return first.answer;
    });
  },
  async limiter_unavailable() {
    const closed = { windows: [{ points: 9, seconds: 1 }], onStoreFailure: 'closed' as const, dryRun: false };
    const url = `redis://127.0.0.1:${String(await freePort())}`;
    return withStack(
      {
        redis: { url, prefix: 'gone:' },
        configure({ limits, redis }) {
          limits.tiers['roomy'] = closed;
          redis.connectTimeout = 50;
        },
      },
      (stack) => stack.get('/v1/users'),
    );
  },
};

describe(decision('Error codes'), () => {
  it.each(errorCodes)('%s is answered over HTTP', async (code) => {
    const produce = producers[code];
    expect(produce).toBeDefined();
    const response = await produce!();
    expect([response.status, await response.json()]).toMatchObject([
      entryOf(code).status,
      { error: { code } },
    ]);
    const asksToRetry = response.headers.get('retry-after') !== null;
    expect(asksToRetry).toBe(response.status === 429 || response.status === 503);
  });

  it('are those of the OpenAPI document, under the same statuses', () => {
    const documented = Object.entries(openapi.components['responses'] ?? {}).flatMap(
      ([name, { description }]) =>
        [...description.matchAll(/^`(\w+)`: /gm)].map(([, code]) => [
          code,
          Number(name.replace('Error', '')),
        ]),
    );
    expect(Object.fromEntries(documented)).toEqual(statuses());
    const { code } = (openapi.components['schemas']?.['Error'] as unknown as ErrorSchema).properties.error
      .properties;
    expect(code.enum).toEqual(errorCodes);
  });

  it('are those of the README, under the same statuses', () => {
    const rows = readFileSync('README.md', 'utf8').matchAll(/^\| `(\w+)` +\| (\d{3}) +\|/gm);
    expect(Object.fromEntries([...rows].map(([, code, status]) => [code, Number(status)]))).toEqual(
      statuses(),
    );
  });
});

type ErrorSchema = {
  properties: { error: { properties: { code: { enum: string[] } } } };
};

function statuses(): Record<string, number> {
  return Object.fromEntries(errorCodes.map((code) => [code, catalogue[code].status]));
}

describe(decision('Error body'), () => {
  it.each(errorCodes.filter((code) => entryOf(code).named !== true && producers[code] !== undefined))(
    '%s has a fixed sentence',
    async (code) => {
      const response = await producers[code]!();
      expect(await response.json()).toEqual({
        error: { code, message: entryOf(code).sentence, request_id: response.headers.get('x-request-id') },
      });
    },
  );

  it('is in the media type of the contract, with its exact length', async () => {
    const response = await producers.invalid_parameter!();
    const body = await response.text();
    expect(Object.keys((JSON.parse(body) as { error: object }).error)).toEqual([
      'code',
      'message',
      'request_id',
    ]);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  });
});

describe(decision('Media type'), () => {
  it.each([
    '/v1/users',
    '/v1/users/user_3',
    '/v1/products',
    '/v1/openapi.json',
    '/v1/nothing',
    '/v1/users?page=0',
  ])('%s', plainlyTyped);
});

async function plainlyTyped(path: string): Promise<void> {
  const response = await withStack({}, (stack) => stack.get(path));
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
}
