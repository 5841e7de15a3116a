/**
 * Bundles the program into `dist`: `main.js`, what it loads later, the files of its threads, and the page of the console.
 * `npm run build:program` runs it.
 *
 * A start pays for each module that it loads. So modules that serving never calls have a stand-in here, and one that
 * it seldom calls is loaded with the first call; Node's `fetch` is kept out, too. test/FIGURES.md says under "Start" what that is worth.
 */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { pageBundle } from '../../admin/console/page-bundle.ts';
import { bundleOptions } from './bundle-options.ts';

/** A file of a package, and what the bundle has in its place, or makes of its text. */
type StandIn = { readonly file: RegExp; readonly contents: string | ((text: string) => string) };

/** Has a package in CommonJS loaded when a property of it is asked for. */
function lazy(name: string, file: RegExp): StandIn {
  const contents = `module.exports = new Proxy({}, { get: (_, name) => require('${name}?loaded')[name] });`;
  return { file, contents };
}

/** With this axios looks for `FormData`, to find out whether a body is a form, which the transport never sends. */
const GLOBAL_OF_AXIOS = 'const G = getGlobal();';

/** @throws Error where axios does not look for it in this manner any more */
function withoutGlobal(text: string): string {
  if (!text.includes(GLOBAL_OF_AXIOS))
    throw new Error(`axios has no "${GLOBAL_OF_AXIOS}": mend the stand-ins`);
  return text.replace(GLOBAL_OF_AXIOS, 'const G = {};');
}

const STAND_INS: readonly StandIn[] = [
  // The transport passes axios its own adapter. Those of axios load a form encoder, a list of media types, and
  // Node's fetch, which they try out at once. Without them axios says that there is no such adapter.
  { file: /\/axios\/lib\/adapters\/http\.js$/, contents: 'export default null;' },
  { file: /\/axios\/lib\/adapters\/xhr\.js$/, contents: 'export default null;' },
  { file: /\/axios\/lib\/adapters\/fetch\.js$/, contents: 'export const getFetch = () => null;' },
  { file: /\/axios\/lib\/platform\/node\/classes\/FormData\.js$/, contents: 'export default null;' },
  // A look at `FormData` loads Node's fetch.
  { file: /\/axios\/lib\/utils\.js$/, contents: withoutGlobal },
  // Of its parsers of bodies, Express is asked for that of JSON.
  { file: /\/body-parser\/lib\/types\/(raw|text|urlencoded)\.js$/, contents: 'module.exports = null;' },
  // 500 kB of charsets, for the JSON that operators post.
  lazy('iconv-lite', /\/iconv-lite\/lib\/index\.js$/),
  // 2,500 media types, for the listener of operators and the API page.
  lazy('mime-types', /\/mime-types\/index\.js$/),
  // Express parses queries with it only where it is told to.
  lazy('qs', /\/qs\/lib\/index\.js$/),
];

const standIns: Plugin = {
  name: 'stand-ins',
  setup(bundle) {
    const unused = new Set(STAND_INS);
    for (const standIn of STAND_INS) {
      bundle.onLoad({ filter: standIn.file }, async ({ path, suffix }) => {
        // This is the module itself, asked for by its stand-in.
        if (suffix !== '') return undefined;
        unused.delete(standIn);
        const { contents } = standIn;
        return { contents: typeof contents === 'string' ? contents : contents(await readFile(path, 'utf8')) };
      });
    }
    bundle.onResolve({ filter: /\?loaded$/ }, async ({ path, kind, resolveDir }) => ({
      ...(await bundle.resolve(path.replace('?loaded', ''), { kind, resolveDir })),
      suffix: '?loaded',
    }));
    // A new version of a package may have moved the file; the start would grow without a word.
    bundle.onEnd(() => ({
      errors: [...unused].map(({ file }) => ({
        text: `no file is like ${String(file)}: mend the stand-ins`,
      })),
    }));
  },
};

/** Exports of `node:http` that load Node's fetch when they are read: 35 ms of CPU. Nothing here asks for them. */
const OF_FETCH = new Set(['WebSocket', 'CloseEvent', 'MessageEvent']);
const HTTP_NAMES = Object.keys(http).filter((name) => !OF_FETCH.has(name));

/** Keeps Node's fetch out of a start: an import of `node:http` reads all that it exports. */
const withoutFetch: Plugin = {
  name: 'without-fetch',
  setup(bundle) {
    bundle.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'without-fetch' } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: 'without-fetch' }, () => ({
      contents: `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${HTTP_NAMES.join(', ')} } = http;`,
    }));
  },
};

const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;

await build({
  ...bundleOptions,
  entryPoints: {
    main: 'src/main.ts',
    'bundle/serve/reading-thread': 'src/pipeline/reading/large-replies/reading-thread.ts',
    'bundle/serve/config-check-thread': 'src/cli/input/config-check-thread.ts',
  },
  plugins: [standIns, withoutFetch],
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  outdir,
  chunkNames: 'bundle/serve/[name]-[hash]',
});
await build({ ...pageBundle, outdir: resolve(outdir, 'admin/console/page') });
