import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startRedis } from '../../support/redis/redis-server.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const config = startForEach(copyConfig);

/** `portico check`; file names are told from the folder of the configuration. */
async function check(...args: string[]) {
  const { code, out, err } = await runCommand(['--config', config.file, 'check', ...args]);
  const withRelativePaths = (text: string) => text.replaceAll(config.file.replace('portico.yaml', ''), '');
  return { code, out: withRelativePaths(out), err: withRelativePaths(err) };
}

const CASE = 'fixtures/crm/users-first-page.yaml';

describe('portico check', () => {
  it('replays the recorded cases of every source', async () => {
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(/\n19 recorded cases replayed\nThe configuration is sound\.\n$/);
  });

  it('says that a pass-through route at /docs takes the place of the API page, and not where that is meant', async () => {
    const line = config.edit('portico.yaml', 'path: /legacy/orders', 'path: /docs');
    const { code, err, out } = await check('--no-fixtures');
    expect(code).toBe(0);
    expect(out + err).toMatch(
      new RegExp(
        `portico\\.yaml:${line}:\\d+: passthrough\\[0\\]\\.path: /docs goes to "orders", so the API page is not served`,
      ),
    );
    config.edit('portico.yaml', 'portico: 1\n', 'portico: 1\ndocs: false\n');
    const meant = await check('--no-fixtures');
    expect(meant.out + meant.err).not.toContain('API page');
  });

  it('tells each EDIT that is open, with its line', async () => {
    const line = config.edit('sources/crm.yaml', 'resources:', '# EDIT: which rows are users?\nresources:');
    const { code, out } = await check('--no-fixtures');
    expect(code).toBe(0);
    expect(out).toContain(`note: sources/crm.yaml:${line}:1: EDIT: which rows are users?`);
  });

  it('says of a field and a filter that the contract lacks that they go into the contract first', async () => {
    const added =
      'filters: { job: { eq: { query: { job: x }, exactness: exact } } }\n      map:\n        job: job\n';
    const line = config.edit('sources/crm.yaml', 'map:\n', added);
    const { code, err } = await check('--no-fixtures');
    expect(code).toBe(78);
    expect(err).toMatch(
      new RegExp(
        `crm\\.yaml:${line + 2}:\\d+: .*map\\.job: unknown field .*\\n +hint: .* into the contract first\\n`,
      ),
    );
    expect(err).toMatch(
      new RegExp(
        `crm\\.yaml:${line}:\\d+: .*eq: the contract has no filter .*\\n +hint: .* into the contract first\\n`,
      ),
    );
  });

  it('refuses a case that is answered otherwise, with file, line and hint', async () => {
    const line = config.edit(CASE, '- id: user_3', '- id: user_4');
    const { code, err } = await check();
    expect(code).toBe(78);
    expect(err).toMatch(
      new RegExp(
        `^${CASE}:${line}:\\d+: expect\\.body\\.data\\[0\\]\\.id: the recorded case does not replay: expected "user_4", got "user_3"\\n +hint: portico test crm `,
      ),
    );
  });

  it('refuses a source that asks what was not recorded', async () => {
    config.edit('sources/crm.yaml', "start: '{offset}'", "from: '{offset}'");
    const { code, err } = await check();
    expect(code).toBe(78);
    expect(err).toContain(
      'the recorded case does not replay: asked, but not recorded: GET /crm/v3/contacts.do?from=0&cnt=3',
    );
    expect(err).toMatch(/\n11 problems in the configuration\n$/);
  });

  it('reports a file that is no case, with all other problems', async () => {
    config.edit(CASE, 'request: GET', 'request: PUT');
    const { code, err } = await check();
    expect(code).toBe(78);
    expect(err).toMatch(new RegExp(`^${CASE}:\\d+:\\d+: request: expected a request such as GET`));
  });

  it('refuses a pipe in the place of a file, also behind a link, and does not wait for what it might say', async () => {
    const folder = dirname(config.file);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    rmSync(join(folder, 'sources/crm.yaml'));
    symlinkSync('../pipe', join(folder, 'sources/crm.yaml'));
    const source = await check('--no-fixtures');
    expect([source.code, source.err]).toEqual([
      78,
      expect.stringContaining('sources/crm.yaml: cannot be read (no regular file)'),
    ]);
    rmSync(join(folder, 'sources/crm.yaml'));
    config.edit('portico.yaml', '${ADMIN_TOKEN:-}', `\${file:${join(folder, 'pipe')}}`);
    const { code, err } = await check('--no-fixtures');
    expect([code, err]).toEqual([78, expect.stringContaining('pipe cannot be read')]);
  });

  it('notes where Redis may evict API keys, and where that cannot be known', async () => {
    const redis = await startRedis('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru');
    const args = ['--config', config.file, 'check', '--no-fixtures'];
    const { code, out } = await runCommand(args, { REDIS_URL: redis.url });
    await redis.stop();
    expect(code).toBe(0);
    expect(out).toContain('redis: Redis may evict API keys: its maxmemory-policy is allkeys-lru; set it to');
    const gone = await runCommand(args, { REDIS_URL: redis.url });
    expect(gone.code).toBe(0);
    expect(gone.out).toContain('redis: Redis cannot be reached from here');
  });

  it('notes for each role which eviction policy its Redis should have', async () => {
    const full = (policy: string) => startRedis('--maxmemory', '64mb', '--maxmemory-policy', policy);
    const servers = await Promise.all([full('volatile-lru'), full('volatile-lru'), full('noeviction')]);
    const roles = ['keys', 'limits', 'cache'].map((role, at) => `  ${role}: { url: '${servers[at]!.url}' }`);
    config.edit('portico.yaml', '  url: ${REDIS_URL:-}', roles.join('\n'));
    const { code, out } = await check('--no-fixtures');
    await Promise.all(servers.map((server) => server.stop()));
    expect(code).toBe(0);
    expect(out.match(/^note: .*Redis.*$/gm)).toEqual([
      expect.stringMatching(
        /redis \(limits\): Redis may evict what callers have used .* volatile-ttl or noeviction$/,
      ),
      expect.stringMatching(
        /redis \(cache\): Redis keeps no new answers once it is full.* allkeys-lru or volatile-lru$/,
      ),
    ]);
  });

  it('leaves recorded cases out where it is told to', async () => {
    config.edit(CASE, '- id: user_3', '- id: user_4');
    const { code, out } = await check('--no-fixtures');
    expect(code).toBe(0);
    expect(out).not.toContain('replayed');
  });

  it('replays the cases of a source that is checked alone', async () => {
    config.edit(CASE, '- id: user_3', '- id: user_4');
    const file = config.file.replace('portico.yaml', 'sources/crm.yaml');
    expect((await check('--source', file)).code).toBe(78);
  });

  it('notes what is valid but probably not meant', async () => {
    config.edit(
      'portico.yaml',
      'passthrough:\n',
      'passthrough:\n  - { name: old, path: /legacy, methods: [DELETE], upstream: "http://127.0.0.1:1", permission: null }\n',
    );
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(
      /^note: portico\.yaml:\d+:\d+: passthrough\[1\]\.methods: DELETE \/legacy\/orders is/m,
    );
  });

  it('prints everything as JSON', async () => {
    expect(JSON.parse((await check('--json')).out)).toMatchObject({
      problems: [],
      notes: [{ file: 'sources/people.yaml', message: 'users are served from "crm"' }],
      replayed: 19,
    });
    const line = config.edit(CASE, '- id: user_3', '- id: user_4');
    const { code, out } = await check('--json');
    expect(code).toBe(78);
    expect(JSON.parse(out)).toMatchObject({
      problems: [{ file: CASE, line, path: 'expect.body.data[0].id', hint: expect.any(String) as string }],
    });
  });

  it('accepts a folder without cases', async () => {
    config.drop('fixtures');
    mkdirSync(config.file.replace('portico.yaml', 'fixtures/crm'), { recursive: true });
    writeFileSync(config.file.replace('portico.yaml', 'fixtures/crm/readme.txt'), '');
    expect((await check()).code).toBe(0);
  });
});
