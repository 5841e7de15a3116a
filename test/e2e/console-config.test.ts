import { type ActionName, actionSpecs, type ActionValue } from '../../src/admin/api/action-table.ts';
import { runCommand } from '../support/command/run-command.ts';
import { startWorkers } from '../support/gateway/worker-gateway.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const OPERATOR = 'the-token-of-ada-the-operator';
const VIEWER = 'the-token-of-vera-the-viewer';

const gateway = startForAll(() => startWorkers(2));

const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: object) =>
  fetch(gateway.adminUrl + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const bearer = (token?: string) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** What an action answers, held against its description. */
async function view<Name extends ActionName>(name: Name, token?: string): Promise<ActionValue<Name>> {
  const { path, output } = actionSpecs[name];
  const answer = await ask('GET', path, bearer(token));
  expect([path, answer.status]).toEqual([path, 200]);
  return output.parse(await answer.json()) as ActionValue<Name>;
}

const reload = (token?: string, reason?: string) =>
  ask('POST', '/api/config/reload', bearer(token), { wait: '60s', ...(reason !== undefined && { reason }) });

describe('a gateway of two workers', () => {
  it('counts its callers over both, with what each may still ask', async () => {
    const headers = { authorization: `Bearer ${gateway.keys.few}`, connection: 'close' };
    const answers = Array.from({ length: 40 }, () => fetch(`${gateway.url}/v1/users?limit=2`, { headers }));
    await Promise.all(answers);
    const { scope, callers } = await view('callers');
    expect([scope, callers]).toEqual([
      'workers',
      [
        expect.objectContaining({
          ...{ id: 'workersfew', requests: 40, clientErrors: 15, limited: 15, missedMax: 0 },
          windows: [expect.objectContaining({ tier: 'few', seconds: 60, limit: 25 })],
        }),
      ],
    ]);
  });

  it('says what changed by a reload of a source file, to operators and in the audit', async () => {
    gateway.config.edit('sources/crm.yaml', 'concurrency: 3', 'concurrency: 4');
    expect((await reload(undefined, 'ticket 7')).status).toBe(200);
    const { rev, digest, processes, waitingFor, lastChange, reloads, files } = await view('config');
    expect([rev, waitingFor, processes.map((one) => one.digest)]).toEqual([2, 0, [digest, digest]]);
    expect(lastChange).toMatchObject([{ path: 'sources.crm', kind: 'changed' }]);
    expect(reloads).toMatchObject([
      { by: 'local', outcome: 'applied', rev: 2, digest, changes: lastChange },
      { by: 'start', outcome: 'started', rev: 1 },
    ]);
    expect(files.find(({ name }) => name.endsWith('crm.yaml'))?.text).toContain('concurrency: 4');
    const { lines } = await view('audit');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ actor: 'local', role: 'operator', address: '127.0.0.1', action: 'config.reload' },
      ...{ outcome: 'applied', reason: 'ticket 7', after: { changes: lastChange } },
    });
  });

  it('is told by portico config, with the text that the reload has changed', async () => {
    const run = (...words: string[]) => runCommand(['config', ...words, '--gateway', gateway.adminUrl]);
    const { rev, digest } = await view('config');
    const { out } = await run();
    expect(out).toMatch(new RegExp(`^REV +${rev}$`, 'm'));
    expect(out.match(new RegExp(`^ +\\d+ +${digest} +true$`, 'gm'))).toHaveLength(2);
    expect(out).toMatch(/^ +[\d:]+ +local +applied +2 /m);
    const text = (await run('diff')).out;
    expect(text).toMatch(/crm\.yaml\n/);
    expect(text).toMatch(/^ {2}- +.*concurrency: 3.*\n {2}\+ +.*concurrency: 4/m);
    expect(text.split('\n').length).toBeLessThan(12);
    expect((await run('diff', '1', '2')).out).toBe(text);
    expect((await run('diff', '2')).out).toBe('no text is different\n');
    expect((await run('diff', '--with', gateway.adminUrl)).out).toBe('no text is different\n');
    expect(await run('diff', '7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the text of revision 7 is not kept here\n    hint: those that are: 2, 1'),
    });
  });

  it('says why a reload was refused, and what is in force instead', async () => {
    gateway.config.edit('sources/crm.yaml', 'concurrency: 4', 'concurrency: none');
    expect((await reload(undefined, 'ticket 8')).status).toBe(422);
    const { rev, stale, reloads } = await view('config');
    expect([rev, stale, reloads[0]]).toMatchObject([
      2,
      { why: 'reload refused' },
      { outcome: 'refused', problems: [expect.stringContaining('concurrency')] },
    ]);
    expect(JSON.parse((await view('audit')).lines.at(-1) ?? '')).toMatchObject({
      reason: 'ticket 8',
      outcome: expect.stringMatching(/^refused: .*concurrency/) as string,
    });
    gateway.config.edit('sources/crm.yaml', 'concurrency: none', 'concurrency: 4');
  });

  it('shows no secret of its files, and ends the session of a token that a reload removes', async () => {
    const tokens = `  tokens:\n    - { name: ada, role: operator, token: ${OPERATOR} }\n`;
    const vera = `    - { name: vera, role: viewer, token: ${VIEWER} } # ${VIEWER}\n`;
    gateway.config.edit('portico.yaml', '\nadmin:\n', `\nadmin:\n${tokens}${vera}`);
    expect((await reload()).status).toBe(200);
    const signedIn = await ask('POST', '/api/session', {}, { token: VIEWER });
    const { secret } = (await signedIn.json()) as { secret: string };
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { cookie, 'x-portico-session-secret': secret };
    const shown = await (await ask('GET', '/api/config', headers)).text();
    expect(shown).toContain('portico.yaml');
    expect(shown).not.toMatch(/the-token-of|a-pepper/);

    gateway.config.edit('portico.yaml', vera, '');
    expect((await reload(OPERATOR)).status).toBe(200);
    expect((await ask('GET', '/api/session', headers)).status).toBe(401);
    expect((await view('config', OPERATOR)).reloads[0]).toMatchObject({ by: 'ada', outcome: 'applied' });
  });
});
