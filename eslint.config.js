import { existsSync, readdirSync } from 'node:fs';
import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/**
 * The floors of the house, lowest first. A folder may import from any floor below its own, never from a
 * sibling or from above. `packages` lists what this folder alone may import from npm.
 */
const floors = [
  [
    { folder: 'kernel', packages: [] },
    { folder: 'errors', packages: [] },
    // The sample legacy services stand for other people's servers: they see nothing of the gateway.
    { folder: 'samples', packages: [], island: true },
  ],
  [{ folder: 'contract', packages: ['zod'] }],
  [{ folder: 'config', packages: ['zod', 'yaml'] }],
  [
    { folder: 'adapter', packages: [] },
    { folder: 'upstream', packages: ['axios', 'p-queue'] },
    { folder: 'store', packages: ['ioredis', 'lru-cache', 'rate-limiter-flexible'] },
  ],
  [{ folder: 'policy', packages: ['jose'] }],
  [{ folder: 'pipeline', packages: [] }],
  [
    { folder: 'http', packages: ['express', 'http-proxy-middleware', 'pino-http'] },
    { folder: 'admin', packages: ['express'] },
  ],
  // src/gateway.ts, src/cli/** and src/main.ts stand on top of all floors.
];

/** Packages that every folder may use: the log and the metrics are passed around as values. */
const everywhere = ['pino', 'prom-client'];

const folders = floors.flatMap((floor, level) => floor.map((room) => ({ ...room, level })));
const guarded = [...new Set(folders.flatMap((room) => room.packages))];

/** The import rules of one folder, from the table above. */
function floorRules({ folder, level, packages, island }) {
  const seen = folders.filter((other) => !island && !other.island && other.level < level).map((r) => r.folder);
  const hidden = folders.map((r) => r.folder).filter((name) => name !== folder && !seen.includes(name));
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...hidden.map((name) => ({
              group: [`**/${name}/*.ts`, `**/${name}/**/*.ts`],
              message: `src/${folder} may not import from src/${name}: imports only look down a floor.`,
            })),
            { group: ['**/gateway.ts', '**/main.ts', '**/cli/**'], message: 'Nothing imports from the top of the house.' },
          ],
          paths: guarded
            .filter((name) => !packages.includes(name) && !everywhere.includes(name))
            .map((name) => ({ name, message: `Only its own folder may import ${name}: see the floors in eslint.config.js.` })),
        },
      ],
    },
  };
}

const unlisted = existsSync('src')
  ? readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'cli')
      .map((entry) => entry.name)
      .filter((name) => !folders.some((room) => room.folder === name))
  : [];
if (unlisted.length > 0) throw new Error(`folders of src without a floor in eslint.config.js: ${unlisted.join(', ')}`);

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      globals: globals.node,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals: the code runs with types stripped.' },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: 'Only src/main.ts touches process.' }],
      'no-console': 'error',
    },
  },
  ...folders.map(floorRules),
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
