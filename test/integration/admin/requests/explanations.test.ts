import { runCommand } from '../../../support/command/run-command.ts';
import { ask, config, env, OPERATOR, useTraceGateway, VALUES, VIEWER } from './trace-gateway.ts';

useTraceGateway();

describe('the runbook', () => {
  it.each(['nothing', '__proto__', 'constructor'])(
    'has no entry %s, and says which it has',
    async (entry) => {
      const { status, body } = await ask(`/api/runbook/${entry}`);
      expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('upstream_timeout')]);
    },
  );

  it('gives no file: a path is no entry', async () => {
    expect((await ask('/api/runbook/..%2Fportico.yaml')).status).toBe(400);
  });
});

describe('an explanation', () => {
  const explain = (input: object, token = VIEWER) =>
    ask('/api/explain', { method: 'POST', body: JSON.stringify(input), token });

  it('of a viewer is that of portico explain --json, and says for which configuration it holds', async () => {
    const request = 'GET /v1/users?sort=name';
    const args = ['--config', config.file, 'explain', request, '--json'];
    const { out, err } = await runCommand(args, env());
    expect(err).toBe('');
    const { status, body } = await explain({ request });
    const digestless = (value: object) => ({ ...value, cacheKey: undefined, inForce: undefined });
    const { rev, digest } = (await ask('/api/config', { token: VIEWER })).body as {
      rev: number;
      digest: string;
    };
    expect(body).toMatchObject({ inForce: { rev, digest } });
    expect([status, digestless(body)]).toEqual([200, digestless(JSON.parse(out) as object)]);
  });

  it('tells a mistake, a pass-through route, and what is no request', async () => {
    expect((await explain({ request: '/v1/users?limit=x' })).body).toMatchObject({
      mistake: { status: 400 },
    });
    expect((await explain({ request: '/legacy/orders' })).body).toMatchObject({
      operation: 'passthrough.orders',
    });
    expect((await explain({ request: '/nothing' })).status).toBe(400);
  });

  it('asks the source for an operator only, without a value, and the audit names who asked', async () => {
    const input = { request: '/v1/users/user_7', live: true, reason: 'a trial' };
    expect((await explain(input)).status).toBe(403);
    const { status, body } = await explain(input, OPERATOR);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        live: expect.objectContaining({ calls: [expect.objectContaining({ status: 200 })] }),
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain(VALUES.record);
    const { lines } = (await ask('/api/audit')).body as { lines: string[] };
    const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(written.filter(({ action }) => action === 'explain')).toMatchObject([
      { actor: 'ada', target: 'live users.get', outcome: 'done', reason: 'a trial' },
    ]);
  });
});
