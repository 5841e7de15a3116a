import { type FaultName, startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import { hurry } from '../../support/gateway/operation-cases.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { eventually } from '../../support/time/eventually.ts';
import { decision } from './decisions.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

let stack: Stack;

async function startBehind(fault: FaultName, serverStatus: 'precise' | 'contract'): Promise<void> {
  const upstream = endAfterTest(await startFailingUpstream(fault));
  stack = endAfterTest(
    await startStack({
      upstream: upstream.origin,
      configure(config, sources) {
        if (fault === 'says nothing') hurry(config, sources);
        config.errors.serverStatus = serverStatus;
      },
    }),
  );
}

async function statusAndCode(path: string) {
  const response = await stack.get(path);
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

describe(decision('serverStatus'), () => {
  it.each([
    ['answers 500', 502, 'upstream_error'],
    ['answers with a page of HTML', 502, 'upstream_invalid_response'],
    ['refuses connections', 503, 'upstream_unavailable'],
    ['says nothing', 504, 'upstream_timeout'],
  ] as const)(
    'an upstream that %s is %d as a rule, and 500 where the operator says contract',
    async (...row) => {
      const [fault, status, code] = row;
      await startBehind(fault, 'precise');
      expect(await statusAndCode('/v1/users')).toEqual([status, code]);
      await startBehind(fault, 'contract');
      expect(await statusAndCode('/v1/users')).toEqual([500, code]);
      expect(await statusAndCode('/v1/users?page=0')).toEqual([400, 'invalid_parameter']);
      expect(await statusAndCode('/v1/nothing')).toEqual([404, 'not_found']);
      // Alerts tell a fault of the gateway from one of an upstream by it.
      await eventually(() => stack.counted('portico_requests_total', `status="${status}"`));
      expect(await stack.counted('portico_requests_total', 'status="500"')).toBe(0);
    },
  );
});

describe(decision('Credential refused upstream'), () => {
  it.each(['refuses the credential with 401', 'refuses the credential with 403'] as const)(
    'an upstream that %s',
    async (fault) => {
      await startBehind(fault, 'precise');
      for (const path of ['/v1/users', '/v1/users/user_3', '/v1/products', '/legacy/orders'])
        expect((await stack.get(path)).status).toBe(502);
    },
  );

  it('is upstream_error also where the service says so within a 200', async () => {
    const config = endAfterTest(copyConfig());
    config.edit('sources/crm.yaml', '${USERS_PASSWORD:-crm-sample-password}', 'another-password');
    config.edit('sources/catalog.yaml', '${CATALOG_KEY:-catalogue-sample-key}', 'another-key');
    config.edit('portico.yaml', '${ORDERS_TOKEN:-orders-sample-token}', 'another-token');
    stack = endAfterTest(await startStack({ configFile: config.file }));
    for (const path of ['/v1/users', '/v1/users/user_3', '/v1/products', '/legacy/orders'])
      expect(await statusAndCode(path)).toEqual([502, 'upstream_error']);
  });
});
