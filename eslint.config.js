import { posix } from 'node:path';
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import { builtinRules } from 'eslint/use-at-your-own-risk';
import jsdoc from 'eslint-plugin-jsdoc';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/**
 * The layers of the code by their levels, lowest first. A layer (a folder or file of src) may import from any level below
 * its own, never from its own or from above; `packages` is all it may import from npm besides `everywhere`. A folder of
 * a layer may have packages of its own, and then not those of the layer.
 */
export const levels = [
  [{ layer: 'kernel', packages: [] }],
  [{ layer: 'contract', packages: ['zod'], pure: true }],
  [{ layer: 'config', packages: ['zod', 'yaml', 'fastest-levenshtein'] }],
  [
    // OpenTelemetry is loaded only where spans are exported; here its types alone.
    {
      layer: 'telemetry',
      packages: [
        'zod',
        '@opentelemetry/api',
        '@opentelemetry/sdk-trace',
        '@opentelemetry/exporter-trace-otlp-proto',
      ],
    },
  ],
  [
    {
      layer: 'source',
      packages: [],
      folders: [
        { folder: 'adapter', packages: ['luxon', '@rgrove/parse-xml', 'csv-parse/sync'], pure: true },
        { folder: 'checks', packages: [], pure: true },
        { folder: 'client', packages: ['axios'] },
      ],
    },
    {
      layer: 'store',
      packages: ['ioredis', 'lru-cache', 'rate-limiter-flexible', 'to-fast-properties', 'zod'],
    },
  ],
  [{ layer: 'pipeline', packages: ['jose'] }],
  [{ layer: 'migration', packages: ['ioredis'] }],
  [
    { layer: 'http', packages: ['express', 'http-proxy-middleware', 'negotiator', 'pino-http'] },
    {
      layer: 'admin',
      packages: ['express', 'zod'],
      // From source, the page is bundled when it is first asked for.
      folders: [{ folder: 'console', packages: ['express', 'esbuild'] }],
    },
  ],
  [
    // Processes and lines to them are given to it as values.
    { layer: 'gateway', packages: [] },
    {
      layer: 'workbench',
      packages: [],
      folders: [
        { folder: 'doctor/probes', packages: [], pure: true },
        { folder: 'docs', packages: ['zod'] },
        { folder: 'infer', packages: ['yaml'] },
      ],
    },
  ],
  [{ layer: 'cli', packages: ['commander', '@bomb.sh/tab/commander', 'log-update'] }],
  [
    { layer: 'main.ts', packages: [], process: true },
    // The library: it reads `process`, but changes nothing of it.
    { layer: 'library.ts', packages: [], process: true },
  ],
];

/** Folders that see nothing of the gateway, or types of one folder alone. These leave nothing in what is served. */
const isolated = [
  {
    folder: 'src/admin/console/page',
    packages: ['preact', 'preact/hooks', 'htm', 'uplot'],
    types: 'src/admin/api',
    why: 'it runs in a browser',
  },
  {
    folder: 'src/cli/demo',
    packages: [],
    usesNode: true,
    why: "the sample legacy services stand for other people's servers",
  },
];

/** The log and the metrics are passed around as values. */
const everywhere = ['pino', 'prom-client'];

/** What a pure layer needs of these, it is given as a value. */
const impure = [
  'fs',
  'net',
  'http',
  'https',
  'http2',
  'tls',
  'dns',
  'dgram',
  'child_process',
  'worker_threads',
  'timers',
];

const layers = levels.flatMap((onLevel, level) => onLevel.map((layer) => ({ ...layer, level })));
const oneOf = (names) => (names.length === 0 ? '(?!)' : names.join('|').replaceAll('.', '\\.'));

/** The import rules of one layer, or of a folder in it that has packages of its own, from the table above. */
function layerRules({ layer, folder, level, packages, pure, process }) {
  const place = folder === undefined ? layer : `${layer}/${folder}`;
  const hidden = layers.filter((other) => other.layer !== layer && other.level >= level);
  const builtins = [...(pure ? impure : []), ...(process ? [] : ['process'])];
  // A file in a folder reaches another layer by going up; './gateway.ts' is then a file of its own folder.
  const up = layer.endsWith('.ts') ? '\\./' : '(?:\\.\\./)+';
  const patterns = [
    {
      regex: `^(?!\\.|node:|(?:${oneOf([...packages, ...everywhere])})$)`,
      message: `src/${place} may not use this package: the levels in eslint.config.js say which layer does.`,
    },
    {
      regex: `^${up}(?:${oneOf(hidden.map((other) => other.layer))})(?:/|$)`,
      message: `src/${place} may not look there: imports only look down a level, see eslint.config.js.`,
    },
    {
      regex: `^node:(?:${oneOf(builtins)})(?:/|$)`,
      message: pure ? `src/${place} is pure: pass it what it needs.` : 'Only src/main.ts touches process.',
    },
    {
      // No other folder has this name, so it is the page of the console under every path that leads there.
      regex: '^\\..*/page/',
      message: 'The page of the console runs in a browser: the gateway only serves its files.',
    },
    { regex: '^\\..*/build/', message: 'src/cli/build builds the program, and is no part of it.' },
  ];
  return {
    files: [layer.endsWith('.ts') ? `src/${layer}` : `src/${place}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

/**
 * The import rules of an isolated folder, by depth: a file may go up as far as that folder, and only at the start of a
 * path. Files that lie deeper have the rule of depth 2, which is stricter than they need.
 */
function isolationRules({ folder, packages, types, usesNode, why }) {
  return [0, 1, 2].map((depth) => {
    const toTypes =
      types === undefined
        ? '(?!)'
        : `${posix.relative(folder + '/x'.repeat(depth), types).replaceAll('.', '\\.')}/[\\w-]+\\.ts$`;
    return {
      files: [`${folder}/${'*/'.repeat(depth)}**/*.ts`],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: `^(?!\\.|${usesNode ? 'node:(?!process(?:/|$))|' : ''}(?:${oneOf(packages)})$)`,
                message: `${folder} may not use this package: ${why}.`,
              },
              {
                // Whoever goes up does so at the start: what goes down and up again cannot be counted.
                regex: `^(?!${toTypes})(?:(?:\\.\\./){${depth + 1}}|.*%|.*/\\./|\\./\\.|.*[^./]/\\.\\./)`,
                message: `${folder} may not look out of its folder: ${why}.`,
              },
              {
                regex: `^${toTypes}`,
                allowTypeImports: true,
                message: `${folder} takes types alone from ${types}: ${why}.`,
              },
            ],
          },
        ],
        // `import { type X }` would leave an import of nothing.
        '@typescript-eslint/no-import-type-side-effects': 'error',
      },
    };
  });
}

/** The import rules of the files that build the program: they need nothing of it, and a package that it does not have. */
const buildRules = {
  files: ['src/cli/build/*.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex:
              '^(?!node:(?!process)|(?:esbuild|typescript)$|\\./[^.]|\\.\\./\\.\\./admin/console/console-build-options\\.ts$)',
            message: 'src/cli/build needs only esbuild, TypeScript, Node, and how the page is bundled.',
          },
        ],
      },
    ],
  },
};

const noEnum = {
  selector: 'TSEnumDeclaration',
  message: 'Use a union of literals: the code runs with types stripped.',
};

const noDynamicImport = {
  selector: 'ImportExpression',
  message: 'Import at the top of the file, where the levels are checked.',
};

/** What a gateway that starts does not need is loaded later; from the highest layer, where `./` looks down. */
const noFarDynamicImport = {
  // `\u002F` is the slash, which would end the pattern.
  selector: 'ImportExpression:not([source.value=/^\\.\\u002F(?!build\\b)/])',
  message: 'Import at the top of the file, where the levels are checked, or from this folder.',
};

const functionLength = builtinRules.get('max-lines-per-function');

/** ESLint's rule, but for callbacks of `describe`: these are lists of tests, and no functions to be read at once. */
const maxLinesPerFunction = {
  ...functionLength,
  create(context) {
    const { sourceCode } = context;
    function report(found) {
      const { callee } = found.node.parent;
      if (!callee || !sourceCode.getText(callee).startsWith('describe')) context.report(found);
    }
    return functionLength.create(Object.create(context, { report: { value: report } }));
  },
};

const noExportList = {
  selector: 'ExportNamedDeclaration[source=null][specifiers.length>0]',
  message: 'Export where it is declared, below the sentence that says what it is.',
};

/** Every export of src has a sentence right above it; of an overloaded function, the first overload. */
const documentedExports = {
  files: ['src/**/*.ts'],
  plugins: { jsdoc },
  rules: {
    'jsdoc/require-jsdoc': [
      'error',
      {
        publicOnly: { esm: true, cjs: false, window: false },
        require: { ClassDeclaration: true, FunctionDeclaration: true },
        contexts: [
          'Program > ExportNamedDeclaration > VariableDeclaration',
          'ExportNamedDeclaration > TSDeclareFunction',
          'TSTypeAliasDeclaration',
          'TSInterfaceDeclaration',
          'ExportDefaultDeclaration',
        ],
        skipInterveningOverloadedDeclarations: true,
        exemptOverloadedImplementations: true,
        enableFixer: false,
      },
    ],
    // A comment that only has tags is none.
    'jsdoc/require-description': ['error', { contexts: ['ExportNamedDeclaration[declaration]'] }],
  },
};

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'node_modules/', '.upstreams/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      globals: globals.node,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', noEnum],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { project: { rules: { 'max-lines-per-function': maxLinesPerFunction } } },
    rules: {
      'max-lines': ['error', 260],
      'project/max-lines-per-function': ['error', { max: 80, IIFEs: true }],
    },
  },
  documentedExports,
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', noEnum, noExportList, noDynamicImport],
    },
  },
  {
    files: ['src/main.ts', 'src/cli/program.ts', 'src/cli/input/checked-config.ts'],
    rules: { 'no-restricted-syntax': ['error', noEnum, noExportList, noFarDynamicImport] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts', 'src/library.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: 'Only src/main.ts touches process.' }],
      'no-restricted-properties': [
        'error',
        { object: 'globalThis', property: 'process', message: 'Only src/main.ts touches process.' },
      ],
    },
  },
  // A folder comes after its layer, because the last rule that matches holds.
  layers.flatMap(({ folders = [], ...layer }) =>
    [layer, ...folders.map((own) => ({ ...layer, ...own }))].map(layerRules),
  ),
  // After the rules of layers, because the last rule that matches holds.
  isolated.flatMap(isolationRules),
  buildRules,
  {
    files: ['test/**/*.ts'],
    rules: {
      // Parsed JSON and jest's asymmetric matchers are `any`; in a test the expectation is the check.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // A missing element fails the test, which is what it should do.
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'jest', property: 'mock', message: 'Pass a real part instead (design: real things).' },
        { object: 'jest', property: 'unstable_mockModule', message: 'Pass a real part instead.' },
      ],
    },
  },
  // Declarations of others are only added to by an interface of the same name.
  { files: ['**/*.d.ts'], rules: { '@typescript-eslint/consistent-type-definitions': 'off' } },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['src/http/api-page/static/*.js'], languageOptions: { globals: globals.browser } },
);
