/**
 * Bundles the program into `dist`: `main.js`, what it loads later, and the files of its threads. `npm run build:program` runs it.
 *
 * A start pays for each module that it loads. So modules that serving never calls have a stand-in here, and one that
 * it seldom calls is loaded with the first call. test/FIGURES.md says under "Start" what that is worth.
 */
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

/** A file of a package, and what the bundle has in its place. */
type StandIn = { readonly file: RegExp; readonly contents: string };

const STAND_INS: readonly StandIn[] = [
  // The transport passes axios its own adapter. Those of axios load a form encoder, a list of media types, and
  // Node's fetch, which they try out at once. Without them axios says that there is no such adapter.
  { file: /\/axios\/lib\/adapters\/http\.js$/, contents: 'export default null;' },
  { file: /\/axios\/lib\/adapters\/xhr\.js$/, contents: 'export default null;' },
  { file: /\/axios\/lib\/adapters\/fetch\.js$/, contents: 'export const getFetch = () => null;' },
  { file: /\/axios\/lib\/platform\/node\/classes\/FormData\.js$/, contents: 'export default null;' },
  // 500 kB of charsets, for the JSON that operators post.
  {
    file: /\/iconv-lite\/lib\/index\.js$/,
    contents: "module.exports = new Proxy({}, { get: (_, name) => require('iconv-lite?loaded')[name] });",
  },
];

const standIns: Plugin = {
  name: 'stand-ins',
  setup(bundle) {
    const unused = new Set(STAND_INS);
    for (const standIn of STAND_INS) {
      bundle.onLoad({ filter: standIn.file }, ({ suffix }) => {
        // This is the module itself, asked for by its stand-in.
        if (suffix !== '') return undefined;
        unused.delete(standIn);
        return { contents: standIn.contents };
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

const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;

await build({
  ...bundleOptions,
  entryPoints: {
    main: 'src/main.ts',
    'bundle/serve/reading-thread': 'src/reading/large-replies/reading-thread.ts',
    'bundle/serve/config-check-thread': 'src/cli/serve/config-check-thread.ts',
  },
  plugins: [standIns],
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  outdir,
  chunkNames: 'bundle/serve/[name]-[hash]',
});
