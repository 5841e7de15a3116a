import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../../support/process/folder.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const root = new URL('../../../', import.meta.url).pathname;
const run = (...args: readonly string[]) => execFileSync('node', args, { cwd: root, encoding: 'utf8' });

/** What a host writes; the last line is an error that the types must find. */
const CONSUMER = `import { createServer } from 'node:http';
import { PorticoError, createPortico, type Portico } from 'portico';
const portico: Portico = await createPortico({
  config: 'portico.yaml',
  authenticate: async ({ headers }) => (headers.cookie ? { id: 'ada', permissions: ['users:read'] } : undefined),
});
createServer((req, res) => portico.handler(req, res, () => void res.end()));
const { port } = await portico.listen();
export const shown: string = String(port) + (await portico.metrics().metrics()) + portico.status().config.digest;
export const lines = (error: unknown) => (error instanceof PorticoError ? error.problems.map(({ line }) => line) : []);
// @ts-expect-error: there is no such option
await createPortico({ config: 'portico.yaml', colour: 1 });
`;

describe('the declaration of the package', () => {
  const folder = startForAll(() => {
    const made = createFolder('types');
    const home = join(made.path, 'node_modules/portico');
    mkdirSync(home, { recursive: true });
    run('src/cli/build/types.ts', '--outdir', home);
    const exports = { '.': { types: './index.d.ts', default: './index.js' } };
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'portico', type: 'module', exports }));
    writeFileSync(join(made.path, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(made.path, 'consumer.ts'), CONSUMER);
    return made;
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('fits a host that resolves modules as %s, without any other types than those of Node', (by, module) => {
    const compilerOptions = {
      ...{ strict: true, skipLibCheck: false, noEmit: true, target: 'es2024', module, moduleResolution: by },
      ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
    };
    const config = join(folder.path, `tsconfig.${by}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    expect(run('node_modules/typescript/bin/tsc', '-p', config)).toBe('');
  });
});
