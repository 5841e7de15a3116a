import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { createFolder } from '../support/process/folder.ts';
import { mountConfig } from '../support/gateway/mounted-config.ts';
import { eventually } from '../support/time/eventually.ts';
import { endAfterTest, startForAll } from '../support/jest/lifetime.ts';

const SECRET = 'a-pepper-that-must-not-be-kept';
const env = { PORTICO_KEY_PEPPER: SECRET };
const patient = { withinMs: 60_000 };
const readiness = async (gateway: GatewayProcess) =>
  ((await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as { config: { rev: number; stale?: object } })
    .config;

describe('a gateway that watches its files', () => {
  it('sees every swap of the folder that Kubernetes makes, what is put back after a refusal, and nothing where nothing changed', async () => {
    const mounted = endAfterTest(
      mountConfig((config) =>
        config.edit('portico.yaml', 'workers: ${WORKERS:-1}', 'reload: watch\nworkers: 1'),
      ),
    );
    const gateway = endAfterTest(await startGatewayProcess(env, mounted.file));
    for (let swap = 1; swap <= 4; swap += 1) {
      mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', `notFound: ${2 + swap}s`));
      await eventually(async () => (await readiness(gateway)).rev === 1 + swap, patient);
    }
    mounted.swap(() => undefined);
    mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', 'notFound: 9s'));
    await eventually(async () => (await readiness(gateway)).rev === 6, patient);
    expect(await gateway.counted('portico_config_reloads_total', 'outcome="unchanged"')).toBe(0);
    mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', 'notFound: soon'));
    await eventually(async () => (await readiness(gateway)).stale !== undefined, patient);
    mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', 'notFound: 9s'));
    await eventually(async () => (await readiness(gateway)).stale === undefined, patient);
    expect(await gateway.counted('portico_config_stale')).toBe(0);
  });
});

describe('a gateway with a state.dir', () => {
  const state = startForAll(() => createFolder('state'));
  const config = startForAll(copyConfig);
  beforeAll(() => {
    config.edit('portico.yaml', 'limits:\n', `state: { dir: ${state.path} }\n\nlimits:\n`);
  });

  it('keeps the last good configuration, and no value of a variable', async () => {
    const gateway = await startGatewayProcess(env, config.file);
    await gateway.close();
    expect(readdirSync(state.path)).toEqual(['last-good.json']);
    const file = join(state.path, 'last-good.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('${PORTICO_KEY_PEPPER');
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  });

  it('starts with it where the files are broken, says so, and takes them once they are sound', async () => {
    config.edit('portico.yaml', '    source: crm\n', '    source: crmm\n');
    const gateway = endAfterTest(await startGatewayProcess(env, config.file));
    expect(gateway.process.err).toContain('no source is named "crmm"');
    expect((await readiness(gateway)).stale).toMatchObject({ why: 'started on the last good one' });
    expect(await gateway.counted('portico_config_stale')).toBe(1);
    config.edit('portico.yaml', '    source: crmm\n', '    source: crm\n');
    gateway.process.signal('SIGHUP');
    await eventually(async () => (await readiness(gateway)).stale === undefined, patient);
    expect(await gateway.counted('portico_config_stale')).toBe(0);
  });
});
