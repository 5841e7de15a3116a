import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { runPortico } from '../support/gateway/gateway-process.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForEach } from '../support/jest/lifetime.ts';

const config = startForEach(copyConfig);

describe('a configuration with mistakes', () => {
  /** `portico check`, and its problems as `file:line path: message`, with the file as seen from the folder. */
  async function check() {
    const { code, err } = await runPortico(['--config', config.file, 'check']);
    return { code, err, withRelativePaths: err.replaceAll(config.file.replace('portico.yaml', ''), '') };
  }

  it('is refused with all of them, each with file, line and hint, before any port is opened', async () => {
    const window = config.edit('portico.yaml', '[200 per 1s', '[200 per second');
    const unknown = config.edit('portico.yaml', 'permission: orders:read', 'permision: orders:read');
    const timeout = config.edit('sources/crm.yaml', 'timeout: 5s', 'timeout: 5 seconds');
    const unset = config.edit('sources/crm.yaml', '${USERS_USER:-portico}', '${USERS_USER}');
    const variable = config.edit('sources/catalog.yaml', '{page}', '{pagge}');

    // Who holds the port finds out whether anyone wants it: that would end with another exit code.
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const PORT = String((holder.address() as AddressInfo).port);
    const started = await runPortico(['--config', config.file, 'start'], { PORT, HOST: '127.0.0.1' });
    holder.close();
    const { code, err, withRelativePaths } = await check();

    expect(started).toMatchObject({ code: 78, out: '', err });
    expect(code).toBe(78);
    for (const problem of [
      `portico\\.yaml:${window}:\\d+: limits\\.tiers\\.roomy\\.windows\\[0\\]: .*20 per 1s`,
      `portico\\.yaml:${unknown}:\\d+: passthrough\\[0\\]\\.permision: .*\\n +hint: .*permission`,
      `sources/crm\\.yaml:${timeout}:\\d+: net\\.timeout: .*5s`,
      `sources/crm\\.yaml:${unset}:\\d+: .*USERS_USER is not set\\n +hint: `,
      `sources/catalog\\.yaml:${variable}:\\d+: .*\\{pagge\\}.*\\n +hint: .*page`,
    ])
      expect(withRelativePaths).toMatch(new RegExp(`^${problem}`, 'm'));
    expect(withRelativePaths).toMatch(/\n\d+ problems in the configuration\n$/);
  });

  it('is refused where every line is well formed and something named in it does not exist', async () => {
    const source = config.edit('portico.yaml', 'source: crm', 'source: crn');
    config.edit('sources/catalog.yaml', '        category:', '        colour:');
    const { code, withRelativePaths } = await check();
    expect(code).toBe(78);
    expect(withRelativePaths).toMatch(
      new RegExp(`^portico\\.yaml:${source}:\\d+: resources\\.users\\.source: .*crn`, 'm'),
    );
    expect(withRelativePaths).toMatch(/^sources\/catalog\.yaml:\d+:\d+: .*filters\.colour/m);
  });

  it.each(['start', 'check', 'demo'])('ends "portico %s" with exit code 78', async (command) => {
    config.edit('portico.yaml', 'portico: 1', 'portico: 2');
    const { code, err } = await runPortico(['--config', config.file, command], { PORT: '0' });
    expect(code).toBe(78);
    expect(err).toMatch(/portico\.yaml:\d+:\d+: portico: .*`portico: 1`/);
  });

  it('is told apart from one that is not there', async () => {
    const { code, err } = await runPortico(['--config', `${config.file}.missing`, 'check']);
    expect(code).toBe(78);
    expect(err).toMatch(/cannot be read \(ENOENT\)/);
  });
});
