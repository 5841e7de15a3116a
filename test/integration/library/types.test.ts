import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIBRARY_CONSUMER, consumerTsconfig } from '../../support/gateway/library-consumer.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const root = new URL('../../../', import.meta.url).pathname;
const run = (...args: readonly string[]) => execFileSync('node', args, { cwd: root, encoding: 'utf8' });

describe('the declaration of the package', () => {
  const folder = startForAll(() => {
    const made = createFolder('types');
    const home = join(made.path, 'node_modules/portico');
    mkdirSync(home, { recursive: true });
    run('src/cli/build/write-declaration.ts', '--outdir', home);
    const exports = { '.': { types: './index.d.ts', default: './index.js' } };
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'portico', type: 'module', exports }));
    writeFileSync(join(made.path, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(made.path, 'consumer.ts'), LIBRARY_CONSUMER);
    return made;
  });

  it.each(['nodenext', 'bundler'] as const)(
    'fits a host that resolves modules as %s, without any other types than those of Node',
    (by) => {
      const config = join(folder.path, `tsconfig.${by}.json`);
      writeFileSync(config, JSON.stringify(consumerTsconfig(by, join(root, 'node_modules'))));
      expect(run('node_modules/typescript/bin/tsc', '-p', config)).toBe('');
    },
  );
});
