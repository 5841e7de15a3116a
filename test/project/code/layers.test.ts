import { readdirSync } from 'node:fs';
import { broken, eslint } from './lint-source.ts';

const root = new URL('../../../', import.meta.url).pathname;

const imports = (from: string) => `import { x } from '${from}';\nx();\n`;

/** `main.ts` and the folders; the page beside them says what they are. */
const layers = readdirSync(`${root}src`).filter((name) => name !== 'README.md');

describe('imports only look down a level', () => {
  it.each([
    ['src/kernel/clock.ts', '../pipeline/stages/call.ts'],
    ['src/contract/users.ts', '../config/problem.ts'],
    ['src/config/load.ts', '../source/adapter/compile.ts'],
    ['src/source/adapter/plan/plan.ts', '../../../pipeline/reading/scan.ts'],
    ['src/source/adapter/read/xml.ts', '../../../store/redis.ts'],
    ['src/source/client/client.ts', '../../store/redis.ts'],
    ['src/store/redis/redis.ts', '../../source/adapter/plan.ts'],
    ['src/source/checks/claim.ts', '../../pipeline/stages/call.ts'],
    ['src/telemetry/tracing.ts', '../source/client/client.ts'],
    ['src/pipeline/stages/cache.ts', '../../gateway/assemble/assemble.ts'],
    ['src/pipeline/quality.ts', '../migration/migrations.ts'],
    ['src/store/scan-cache/local-scan-cache.ts', '../../pipeline/reading/scan.ts'],
    ['src/migration/migrations.ts', '../gateway/assemble/assemble.ts'],
    ['src/source/adapter/map/coercion/text.ts', '../../../../pipeline/stages/call.ts'],
    ['src/http/listener/drain.ts', '../../admin/health.ts'],
    ['src/admin/health.ts', '../http/app.ts'],
    ['src/http/app.ts', '../gateway/gateway.ts'],
    ['src/gateway/gateway.ts', '../cli/demo.ts'],
    ['src/gateway/gateway.ts', '../workbench/explain/explain-action.ts'],
    ['src/workbench/docs/sections.ts', '../../gateway/workers/primary.ts'],
    ['src/workbench/infer/infer-source.ts', '../../cli/infer.ts'],
    ['src/cli/serve/demo.ts', '../../main.ts'],
  ])('refuses %s importing %s', async (file, from) => {
    expect(await broken(file, imports(from))).toContain('no-restricted-imports');
  });

  it.each([
    ['src/contract/users.ts', '../kernel/clock.ts'],
    ['src/source/adapter/read/xml.ts', '../../../contract/users.ts'],
    ['src/source/adapter/read/xml.ts', '../mapping/coerce.ts'],
    ['src/pipeline/reading/read-page.ts', '../../source/checks/claim.ts'],
    ['src/pipeline/stages/cache.ts', '../../store/redis.ts'],
    ['src/migration/migrations.ts', '../pipeline/stages/call.ts'],
    ['src/http/listener/drain.ts', '../../pipeline/stages/call.ts'],
    ['src/gateway/gateway.ts', '../http/app.ts'],
    ['src/workbench/explain/explain-action.ts', '../../admin/actions/act.ts'],
    ['src/cli/serve/demo.ts', '../demo/users.ts'],
    ['src/cli/serve/demo.ts', '../../gateway/gateway.ts'],
    ['src/main.ts', './cli/demo.ts'],
  ])('lets %s import %s', async (file, from) => {
    expect(await broken(file, imports(from))).toEqual([]);
  });

  it.each([
    ['a type', `import type { X } from '../pipeline/stages/call.ts';\n/** It. */\nexport const x: X = 1;\n`],
    ['a re-export', `export { x } from '../pipeline/stages/call.ts';\n`],
    ['a re-export of everything', `export * from '../pipeline/stages/call.ts';\n`],
    ['an import for its effects', `import '../pipeline/stages/call.ts';\n`],
  ])('refuses %s from above as well', async (_kind, source) => {
    expect(await broken('src/kernel/clock.ts', source)).toEqual(['no-restricted-imports']);
  });

  it('refuses imports that are not at the top of the file, where they would escape the levels', async () => {
    expect(await broken('src/kernel/clock.ts', `await import('../pipeline/stages/call.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
    expect(
      await broken('src/kernel/clock.ts', `export let x: import('../pipeline/stages/call.ts').Call;\n`),
    ).toContain('@typescript-eslint/consistent-type-imports');
  });

  it('lets the command line load later what lies beside it, and nothing else', async () => {
    expect(await broken('src/cli/program.ts', `await import('./commands.ts');\n`)).toEqual([]);
    expect(await broken('src/cli/program.ts', `await import('../gateway/gateway.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
    expect(await broken('src/cli/serve/start.ts', `await import('./demo.ts');\n`)).toEqual([
      'no-restricted-syntax',
    ]);
  });

  it('keeps the sample services apart from the gateway, both ways', async () => {
    const samples = 'src/cli/demo/users.ts';
    const refused = ['no-restricted-imports'];
    for (const from of ['../../kernel/clock.ts', '../context/context.ts', 'pino', 'node:process'])
      expect(await broken(samples, imports(from))).toEqual(refused);
    expect(await broken('src/cli/demo/people/page.ts', imports('../../serve/start.ts'))).toEqual(refused);
    expect(await broken('src/gateway/gateway.ts', imports('../cli/demo/users.ts'))).toEqual(refused);
    for (const from of ['node:http', './send-json.ts'])
      expect(await broken(samples, imports(from))).toEqual([]);
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

  it('lets the page of the console import types of the API, and nothing else of it', async () => {
    for (const depth of [0, 1, 2]) {
      const folder = `src/admin/console/page${'/a'.repeat(depth)}`;
      const api = `${'../'.repeat(depth + 2)}api`;
      const brokenBy = (what: string, from = `${api}/action.ts`) =>
        broken(`${folder}/a.ts`, `${what} from '${from}';\n/** It. */\nexport const x: X = 1;\n`);
      expect(await brokenBy('import type { X }')).toEqual([]);
      expect(await brokenBy('import { type X }')).toEqual(['@typescript-eslint/no-import-type-side-effects']);
      for (const what of ['import { X }', 'import { type X, y }', 'import X', 'export { X }', 'export *'])
        expect(await brokenBy(what)).toContain('no-restricted-imports');
      for (const from of [`${api}/../router.ts`, `${api}/%2e%2e/a.ts`, `${api}.ts`])
        expect(await brokenBy('import type { X }', from)).toEqual(['no-restricted-imports']);
    }
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
    ['src/gateway/gateway.ts', '../admin/console/page/show/units.ts'],
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

  it.each(layers)('has a level for src/%s', async (entry) => {
    const file = entry.endsWith('.ts') ? entry : `${entry}/file.ts`;
    const config = (await eslint.calculateConfigForFile(`${root}src/${file}`)) as { rules: object };
    expect(Object.keys(config.rules)).toContain('no-restricted-imports');
  });
});

describe('a package is used by its own layer alone', () => {
  it.each([
    ['src/pipeline/stages/cache.ts', 'axios'],
    ['src/gateway/assemble/assemble.ts', 'ioredis'],
    ['src/http/app.ts', 'lru-cache'],
    ['src/pipeline/stages/rate-limit.ts', 'rate-limiter-flexible'],
    ['src/source/adapter/plan/plan.ts', 'zod'],
    ['src/source/adapter/plan/plan.ts', 'axios'],
    ['src/source/client/client.ts', 'luxon'],
    ['src/source/compile-sources.ts', 'axios'],
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
    ['src/source/adapter/map/coercion/date-format.ts', 'luxon'],
    ['src/store/redis/redis.ts', 'ioredis'],
    ['src/pipeline/stages/authentication/jwt.ts', 'jose'],
    ['src/http/app.ts', 'express'],
    ['src/cli/serve/demo.ts', 'commander'],
    ['src/workbench/infer/write-draft.ts', 'yaml'],
    ['src/pipeline/stages/cache.ts', 'prom-client'],
    ['test/unit/source/adapter/plan/plan.test.ts', 'axios'],
    ['test/unit/source/adapter/plan/plan.test.ts', '../../../src/store/redis.ts'],
  ])('lets %s import %s', async (file, from) => {
    expect(await broken(file, imports(from))).toEqual([]);
  });
});

describe('what only the entry of the process may touch', () => {
  it.each([
    ['the global', `/** A port. */\nexport const port = process.env['PORT'];\n`, 'no-restricted-globals'],
    ['the module', imports('node:process'), 'no-restricted-imports'],
    [
      'the property',
      `/** A port. */\nexport const port = globalThis.process.env['PORT'];\n`,
      'no-restricted-properties',
    ],
  ])('refuses process outside src/main.ts: %s', async (_kind, source, rule) => {
    for (const file of [
      'src/kernel/clock.ts',
      'src/cli/demo/users.ts',
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
    'refuses %s in the layers that are pure',
    async (from) => {
      expect(await broken('src/source/adapter/plan/plan.ts', imports(from))).toEqual([
        'no-restricted-imports',
      ]);
      expect(await broken('src/contract/users.ts', imports(from))).toEqual(['no-restricted-imports']);
      expect(await broken('src/source/client/client.ts', imports(from))).toEqual([]);
    },
  );
});
