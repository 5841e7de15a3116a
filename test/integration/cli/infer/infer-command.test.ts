import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFixtures } from '../../../../src/workbench/recordings/read-fixtures.ts';
import { readSource } from '../../../../src/cli/input/read-config.ts';
import { runCommand } from '../../../support/command/run-command.ts';
import { scim } from '../../../support/dialects/identity.ts';
import { compileDraft, inferDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { type Dialect, serve, TOKEN } from '../../../support/dialects/serve.ts';
import type { ScriptedUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const LIST = [1, 2, 3, 4].map((id) => ({
  id,
  name: `n${id}`,
  email: `u${id}@example.com`,
  created: '2020-05-01T00:00:00Z',
}));

/** Serves a dialect until the end of the test. */
async function serving(...args: Parameters<typeof serve>): Promise<ScriptedUpstream> {
  return endAfterTest(await serve(...args));
}

/** Serves one reply to whatever is asked, and runs infer on it. */
async function inferFrom(dialect: Dialect, args: readonly string[] = []) {
  const service = await serving(dialect, { open: true });
  const run = await runInfer([`${service.origin}/list`, '--resource', 'users', ...args]);
  return { ...run, asked: service.requests, origin: service.origin };
}

describe('portico infer', () => {
  it('writes the draft to a file that was not there, and says how to go on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-out-'));
    const out = join(folder, 'draft.yaml');
    const service = await serving(scim());
    const args = [
      `${service.origin}/scim/v2/Users`,
      '--resource',
      'users',
      '--out',
      out,
      '--header',
      `Authorization: Bearer ${TOKEN}`,
    ];
    const first = await runInfer(args);
    expect(first).toMatchObject({ code: 0, out: '' });
    expect(first.err).toContain('The draft passes portico check.');
    expect((await runCommand(['check', '--source', out])).code).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect((await runInfer(args)).code).toBe(64);
    expect(readFileSync(out, 'utf8')).toBe(text);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['portico', {}],
    ['npm run -s portico --', { npm_lifecycle_event: 'portico' }],
  ])('says how to go on as it was started: %s', async (run, env) => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-out-'));
    const { origin } = await serving(() => ({ body: LIST }), { open: true });
    const out = join(folder, 'draft.yaml');
    const { err } = await runCommand(['infer', `${origin}/list`, '--resource', 'users', '--out', out], env);
    rmSync(folder, { recursive: true });
    const words = err.replaceAll(/\s+/g, ' ');
    expect(words).toContain(`Next: ${run} check --source `);
    expect(words).toMatch(new RegExp(`PORTICO_TRY_KEY=\\S+ ${run} try `));
  });

  it('makes no more calls than --calls-max', async () => {
    const { asked, code } = await inferFrom(() => ({ body: LIST }), ['--calls-max', '7', '--json']);
    expect(code).toBe(0);
    // The draft is tried with a few requests more.
    expect(asked.length).toBeLessThanOrEqual(7 + 8);
  });

  it.each([
    ['a refused credential', { status: 401, body: {} }, 'needs a credential'],
    [
      'a redirect',
      { status: 302, headers: { Location: 'https://login.example/' } },
      'redirects are not followed',
    ],
    [
      'a page of HTML',
      { headers: { 'Content-Type': 'text/html' }, body: '<!DOCTYPE html><p>Login</p>' },
      'is a web page',
    ],
    ['a failure', { status: 500, body: 'canary' }, 'HTTP 500'],
    ['nothing at all', { body: '' }, 'has no body'],
    ['no list', { body: { canary: 1 } }, 'has no list of records'],
    ['an empty list', { body: [] }, 'the list is empty'],
    [
      'records without an id',
      { body: [{ name: 'a' }, { name: 'a' }] },
      'no column of the records can be their id',
    ],
    ['cut JSON', { body: '[{"id":1,"name":"can' }, 'neither JSON, XML, CSV nor lines of JSON'],
  ] as const)(
    'ends with a hint, and no value, where the service answers with %s',
    async (_name, reply, message) => {
      const { code, out, err } = await inferFrom(() => reply);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(message);
      expect(err).toContain('hint: ');
      expect(err).not.toContain('canary');
    },
  );

  it('says so when the service does not answer', async () => {
    const service = await serve(() => ({}));
    await service.close();
    const { code, err } = await runInfer([`${service.origin}/list`, '--resource', 'users']);
    expect({ code, err }).toEqual({ code: 69, err: expect.stringContaining('ECONNREFUSED') });
  });

  it('wants an address or a sample, and a resource', async () => {
    expect(await runInfer(['--resource', 'users'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('nothing to look at'),
    });
    expect(await runInfer(['nonsense', '--resource', 'users'])).toMatchObject({
      code: 64,
      err: expect.stringMatching(/does not begin with http.*\n.*--sample/),
    });
    expect((await runInfer(['http://127.0.0.1:1/', '--resource', 'orders'])).code).toBe(64);
    expect((await runInfer(['http://127.0.0.1:1/'])).code).toBe(64);
  });
});

describe('a credential', () => {
  const secret = 'canary-8f3a9c';
  const service: Dialect = ({ path }) => (path === '/list' ? { body: LIST } : { status: 404, body: {} });

  it.each([
    ['in a header', ['--header', `X-Api-Key: ${secret}`], '', 'name: X-Api-Key'],
    ['behind a scheme', ['--header', `Authorization: Bearer ${secret}`], '', 'value: Bearer ${DRAFT_TOKEN}'],
    [
      'for Basic',
      ['--header', `Authorization: Basic ${Buffer.from(`me:${secret}`).toString('base64')}`],
      '',
      'password: ${DRAFT_PASSWORD}',
    ],
    ['in the query', [], `?api_key=${secret}&kind=a`, 'value: ${DRAFT_API_KEY}'],
    [
      'in two parameters',
      [],
      `?consumer_key=x-${secret}&consumer_secret=${secret}`,
      "consumer_secret: '${DRAFT_CONSUMER_SECRET}'",
    ],
    [
      'in two headers',
      ['--header', `Authorization: Bearer ${secret}`, '--header', `X-Second: 2${secret}`],
      '',
      "X-Second: '${DRAFT_SECOND}'",
    ],
  ])(
    '%s never stands in the draft, only the name of its variable',
    async (_name, headers, query, written) => {
      const served = await serving(service, { open: true });
      const report = await inferDraft([
        `${served.origin}/list${query}`,
        '--resource',
        'users',
        '--name',
        'draft',
        ...headers,
      ]);
      expect(report.draft).toContain(written);
      expect(JSON.stringify(report)).not.toContain(secret);
      expect(JSON.stringify(report)).not.toContain(Buffer.from(`me:${secret}`).toString('base64'));
      expect(
        served.requests.some(({ headers: sent, query: asked }) =>
          JSON.stringify([sent, [...asked]]).includes(
            query === '' && headers[1]!.includes('Basic') ? 'Basic ' : secret,
          ),
        ),
      ).toBe(true);
    },
  );

  it('in an address or a body is taken out, too', async () => {
    const served = await serving(() => ({ body: { result: LIST } }), { open: true });
    const address = served.origin.replace('http://', `http://me:${secret}@`);
    const first = await inferDraft([`${address}/list`, '--resource', 'users', '--name', 'draft']);
    expect(first.draft).not.toContain(secret);
    expect(first.draft).toContain('kind: basic');
    const body = JSON.stringify({ auth: { password: secret }, limit: 2 });
    const second = await inferDraft([`${served.origin}/list`, '--resource', 'users', '--name', 'draft'], {
      '--body': body,
    });
    expect(second.draft).not.toContain(secret);
    expect(second.draft).toContain("password: '${DRAFT_PASSWORD}'");
  });
});

describe('saved replies', () => {
  it.each([
    'scim',
    'okta',
    'auth0',
    'ldap-crest',
    'laravel',
    'salesforce',
    'servicenow',
    'odata-v4',
    'odata-v2-sap',
    'spring-data-rest',
    'elasticsearch',
  ])('of %s make a draft that passes check, with the window that the dialect documents', async (example) => {
    const [compiled] = readSource(`config/examples/${example}.yaml`);
    const { resource, source } = compiled!;
    const cases = readFixtures([compiled!]);
    const page = cases.find(({ name }) => name === 'list-page')!.fixture.upstream[0]!.reply;
    const headers = Object.entries(page.headers).map(([name, value]) => `${name}: ${value}`);
    const sample = `HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n${page.body ?? ''}`;
    const path = source.spec.resources[resource.name]!.list.request.path;
    const report = await inferDraft(
      [`https://service.example${path}`, '--resource', resource.name, '--name', 'draft'],
      { '--sample': sample },
    );
    const draft = compileDraft(report.draft).source.spec.resources[resource.name]!;
    expect(report.calls).toBe(0);
    expect(draft.list.window.kind).toBe(source.spec.resources[resource.name]!.list.window.kind);
    expect(report.draft).toContain('it could not be tried here');
  });

  it('of no known dialect are read as the whole list only with a remark that says so', async () => {
    const report = await inferDraft(['--resource', 'users', '--name', 'draft'], {
      '--sample': JSON.stringify(LIST),
    });
    expect(report.guesses).toContainEqual({
      path: 'resources.users.list.window',
      confidence: 'edit',
      text: expect.stringContaining('could not find'),
    });
    expect(existsSync('draft.yaml')).toBe(false);
  });
});
