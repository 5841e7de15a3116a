import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { runPortico, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { startForAll } from '../support/jest/lifetime.ts';
import { createFolder } from '../support/process/folder.ts';

const folder = startForAll(() => createFolder('config-back'));
const config = startForAll(copyConfig);
beforeAll(() => {
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '\nredis:', `\nstate: { dir: '${folder.path}' }\n\nredis:`);
});
const gateway = startForAll(() => startGatewayProcess({}, config.file));
const run = (...words: string[]) =>
  runPortico(['-c', config.file, ...words, '--gateway', gateway.adminUrl], { LOG_LEVEL: 'info' });

describe('portico config back', () => {
  it('writes the files of an earlier revision, and puts them in force', async () => {
    const crm = () => readFileSync(join(config.file, '../sources/crm.yaml'), 'utf8');
    const before = crm();
    config.edit('sources/crm.yaml', 'concurrency: 8', 'concurrency: 18');
    expect((await run('reload')).out).toContain('In force: revision 2');
    config.edit('sources/crm.yaml', 'concurrency: 18', 'concurrency: none');
    expect((await run('reload')).code).toBe(78);
    const back = await run('config', 'back', '1', '--reason', 'ticket 7');
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining('In force: revision 3') });
    expect(crm()).toBe(before);
    expect((await run('config', 'diff', '1')).out).toBe('no text is different\n');
  });

  it('says where a text is not kept', async () => {
    expect(await run('config', 'back', '7')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/revision 7 are not kept here\n {4}hint: state\.dir/),
    });
  });
});
