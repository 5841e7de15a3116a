import { readdirSync } from 'node:fs';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const root = new URL('../../../', import.meta.url).pathname;

// The sources below exist only in memory, so the rules that ask the type checker stay out.
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

/** The rules that a source breaks when it stands at that path. */
async function broken(filePath: string, source: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(source, { filePath });
  return result!.messages.map((message) => message.ruleId);
}

const imports = (from: string) => `import { x } from '${from}';\nx();\n`;

describe('imports only look down a floor', () => {
  it.each([
    ['src/kernel/clock.ts', '../policy/call.ts'],
    ['src/contract/users.ts', '../config/problem.ts'],
    ['src/config/load.ts', '../adapter/compile.ts'],
    ['src/source/adapter/plan/plan.ts', '../upstream/client.ts'],
    ['src/adapter/read/xml.ts', '../../store/redis.ts'],
    ['src/source/client/client.ts', '../store/redis.ts'],
    ['src/store/redis/redis.ts', '../../adapter/plan.ts'],
    ['src/source/adapter/plan/plan.ts', '../../claims/claim.ts'],
    ['src/source/checks/claim.ts', '../policy/call.ts'],
    ['src/policy/cache.ts', '../pipeline/assemble.ts'],
    ['src/policy/cache.ts', '../reading/run-plan.ts'],
    ['src/store/rowset/local-rowset.ts', '../reading/scan.ts'],
    ['src/pipeline/reading/scan/scan.ts', '../pipeline/assemble.ts'],
    ['src/workbench/doctor/session/replay.ts', '../fixtures/read-fixtures.ts'],
    ['src/workbench/recordings/read-fixtures.ts', '../explain/explanation.ts'],
    ['src/workbench/explain/explanation.ts', '../draft/infer-source.ts'],
    ['src/workbench/infer/infer-source.ts', '../cli/infer.ts'],
    ['src/source/adapter/map/coercion/text.ts', '../../../policy/call.ts'],
    ['src/gateway/assemble/assemble.ts', '../http/app.ts'],
    ['src/http/app.ts', '../../admin/health.ts'],
    ['src/admin/health.ts', '../http/app.ts'],
    ['src/http/app.ts', '../../gateway.ts'],
    ['src/gateway/gateway.ts', './cli/demo.ts'],
    ['src/gateway/gateway.ts', './workers/primary.ts'],
    ['src/gateway/workers/primary.ts', '../gateway.ts'],
    ['src/cli/serve/demo.ts', '../../main.ts'],
  ])('refuses %s importing %s', async (file, from) => {
    expect(await broken(file, imports(from))).toContain('no-restricted-imports');
  });

  it.each([
    ['src/contract/users.ts', '../kernel/clock.ts'],
    ['src/adapter/read/xml.ts', '../../contract/users.ts'],
    ['src/adapter/read/xml.ts', '../mapping/coerce.ts'],
    ['src/pipeline/reading/pages/read-page.ts', '../claims/claim.ts'],
    ['src/policy/cache.ts', '../store/redis.ts'],
    ['src/gateway/assemble/assemble.ts', '../policy/call.ts'],
    ['src/http/app.ts', '../../pipeline/assemble.ts'],
    ['src/gateway/gateway.ts', './http/app.ts'],
    ['src/cli/serve/demo.ts', '../../samples/users.ts'],
    ['src/cli/serve/demo.ts', '../../gateway.ts'],
    ['src/main.ts', './cli/demo.ts'],
  ])('lets %s import %s', async (file, from) => {
    expect(await broken(file, imports(from))).toEqual([]);
  });

  it.each([
    ['a type', `import type { X } from '../policy/call.ts';\nexport const x: X = 1;\n`],
    ['a re-export', `export { x } from '../policy/call.ts';\n`],
    ['a re-export of everything', `export * from '../policy/call.ts';\n`],
    ['an import for its effects', `import '../policy/call.ts';\n`],
  ])('refuses %s from above as well', async (_kind, source) => {
    expect(await broken('src/kernel/clock.ts', source)).toEqual(['no-restricted-imports']);
  });

  it('refuses imports that are not at the top of the file, where they would escape the floors', async () => {
    expect(await broken('src/kernel/clock.ts', `await import('../policy/call.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
    expect(
      await broken('src/kernel/clock.ts', `export let x: import('../policy/call.ts').Call;\n`),
    ).toContain('@typescript-eslint/consistent-type-imports');
  });

  it('lets the command line load later what lies beside it, and nothing else', async () => {
    expect(await broken('src/cli/program.ts', `await import('./commands.ts');\n`)).toEqual([]);
    expect(await broken('src/cli/program.ts', `await import('../gateway.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
    expect(await broken('src/cli/serve/start.ts', `await import('./demo.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
  });

  it('keeps the sample services apart from the gateway, both ways', async () => {
    expect(await broken('src/samples/users.ts', imports('../kernel/clock.ts'))).toEqual([
      'no-restricted-imports',
    ]);
    expect(await broken('src/samples/users.ts', imports('pino'))).toEqual(['no-restricted-imports']);
    expect(await broken('src/source/adapter/plan/plan.ts', imports('../../samples/users.ts'))).toEqual([
      'no-restricted-imports',
    ]);
    expect(await broken('src/gateway/gateway.ts', imports('./samples/users.ts'))).toEqual([
      'no-restricted-imports',
    ]);
    expect(await broken('src/samples/users.ts', imports('node:http'))).toEqual([]);
  });

  it.each([
    ['main.ts', '../console-files.ts'],
    ['main.ts', '../../api/action.ts'],
    ['main.ts', './../console-files.ts'],
    ['views/keys.ts', '../../console-files.ts'],
    ['views/keys.ts', '../../../../kernel/clock.ts'],
    ['views/keys.ts', './../data/../../console-files.ts'],
    ['views/keys.ts', '.././../console-files.ts'],
    ['views/keys.ts', './.././../console-files.ts'],
    ['views/keys.ts', '../data/./../../console-files.ts'],
    ['views/keys.ts', '../%2e%2e/console-files.ts'],
    ['views/keys.ts', 'pino'],
    ['views/keys.ts', 'node:fs'],
    ['views/migration/rules.ts', '../../../console-files.ts'],
    ['views/migration/rules.ts', '../../../../../kernel/clock.ts'],
    ['views/migration/deeper/rule.ts', '../../../../console-files.ts'],
  ])('keeps the page of the console apart from the gateway: %s may not import %s', async (file, from) => {
    expect(await broken(`src/admin/console/page/${file}`, imports(from))).toEqual(['no-restricted-imports']);
  });

  it.each([
    ['main.ts', './frame/app.ts'],
    ['main.ts', 'preact'],
    ['views/keys.ts', '../data/api.ts'],
    ['views/migration/rules.ts', '../../data/api.ts'],
    ['views/migration/rules.ts', '../source-tables.ts'],
  ])('lets %s of the page import %s', async (file, from) => {
    expect(await broken(`src/admin/console/page/${file}`, imports(from))).toEqual([]);
  });

  it.each([
    ['src/admin/console/serve-console.ts', './page/show/units.ts'],
    ['src/admin/app.ts', './console/page/show/units.ts'],
    ['src/admin/router.ts', '../console/page/show/units.ts'],
    ['src/http/app.ts', '../../admin/console/page/show/units.ts'],
    ['src/cli/serve/demo.ts', '../../admin/console/page/show/units.ts'],
    ['src/gateway/gateway.ts', './admin/console/page/show/units.ts'],
    ['src/main.ts', './admin/console/page/main.ts'],
  ])('keeps the gateway apart from the page of the console: %s may not import %s', async (file, from) => {
    expect(await broken(file, imports(from))).toContain('no-restricted-imports');
  });

  it.each([
    ['src/cli/serve/start.ts', imports('../build/bundle.ts')],
    ['src/cli/program.ts', imports('./build/bundle.ts')],
    ['src/cli/serve/start.ts', imports('esbuild')],
    ['src/cli/build/bundle.ts', imports('../context.ts')],
    ['src/cli/build/bundle.ts', imports('pino')],
  ])('keeps what builds the program out of it: %s', async (file, text) => {
    expect(await broken(file, text)).toEqual(['no-restricted-imports']);
  });

  it('loads no script of the build later, either', async () => {
    const text = (from: string) => `export const later = await import('${from}');\n`;
    expect(await broken('src/cli/program.ts', text('./build/bundle.ts'))).toContain('no-restricted-syntax');
    expect(await broken('src/cli/program.ts', text('./commands.ts'))).not.toContain('no-restricted-syntax');
  });

  it.each(readdirSync(`${root}src`))('has a floor for src/%s', async (entry) => {
    const file = entry.endsWith('.ts') ? entry : `${entry}/file.ts`;
    const config = (await eslint.calculateConfigForFile(`${root}src/${file}`)) as { rules: object };
    expect(Object.keys(config.rules)).toContain('no-restricted-imports');
  });
});

describe('a package is used by its own room alone', () => {
  it.each([
    ['src/policy/cache.ts', 'axios'],
    ['src/gateway/assemble/assemble.ts', 'ioredis'],
    ['src/http/app.ts', 'lru-cache'],
    ['src/pipeline/stages/rate-limit.ts', 'rate-limiter-flexible'],
    ['src/source/adapter/plan/plan.ts', 'zod'],
    ['src/kernel/clock.ts', 'express'],
    ['src/source/client/client.ts', 'axios/unsafe/core/settle.js'],
    ['src/gateway/gateway.ts', 'express'],
    ['src/main.ts', 'commander'],
    ['src/cli/serve/demo.ts', 'ioredis'],
    ['src/store/redis/redis.ts', 'a-package-nobody-decided-on'],
  ])('refuses %s importing %s', async (file, from) => {
    expect(await broken(file, imports(from))).toEqual(['no-restricted-imports']);
  });

  it.each([
    ['src/source/client/client.ts', 'axios'],
    ['src/store/redis/redis.ts', 'ioredis'],
    ['src/pipeline/stages/authentication/jwt.ts', 'jose'],
    ['src/http/app.ts', 'express'],
    ['src/cli/serve/demo.ts', 'commander'],
    ['src/policy/cache.ts', 'prom-client'],
    ['test/unit/source/adapter/plan/plan.test.ts', 'axios'],
    ['test/unit/source/adapter/plan/plan.test.ts', '../../../src/store/redis.ts'],
  ])('lets %s import %s', async (file, from) => {
    expect(await broken(file, imports(from))).toEqual([]);
  });
});

describe('what only the entry of the process may touch', () => {
  it.each([
    ['the global', `export const port = process.env['PORT'];\n`, 'no-restricted-globals'],
    ['the module', imports('node:process'), 'no-restricted-imports'],
    ['the property', `export const port = globalThis.process.env['PORT'];\n`, 'no-restricted-properties'],
  ])('refuses process outside src/main.ts: %s', async (_kind, source, rule) => {
    for (const file of [
      'src/kernel/clock.ts',
      'src/samples/users.ts',
      'src/gateway/gateway.ts',
      'src/cli/serve/demo.ts',
    ]) {
      expect(await broken(file, source)).toEqual([rule]);
    }
    expect(await broken('src/main.ts', source)).toEqual([]);
  });

  it('refuses the console anywhere in src', async () => {
    expect(await broken('src/main.ts', `console.log('started');\n`)).toEqual(['no-console']);
  });

  it.each(['node:fs', 'node:fs/promises', 'node:net', 'node:http', 'node:timers/promises'])(
    'refuses %s in the rooms that are pure',
    async (from) => {
      expect(await broken('src/source/adapter/plan/plan.ts', imports(from))).toEqual([
        'no-restricted-imports',
      ]);
      expect(await broken('src/contract/users.ts', imports(from))).toEqual(['no-restricted-imports']);
      expect(await broken('src/source/client/client.ts', imports(from))).toEqual([]);
    },
  );
});

it('refuses module mocks and enums', async () => {
  expect(await broken('test/unit/a.test.ts', `jest.mock('axios');\n`)).toEqual(['no-restricted-properties']);
  expect(await broken('src/kernel/clock.ts', `export enum Unit { Second }\n`)).toEqual([
    'no-restricted-syntax',
  ]);
});
