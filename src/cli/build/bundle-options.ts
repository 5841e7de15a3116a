import { readFile } from 'node:fs/promises';
import type { BuildOptions, Plugin } from 'esbuild';

/*
 * Node loads its own client of HTTP, undici, when a program first reads `FormData`, `Request` or `WebSocket`. That costs a start
 * 60 ms, and a gateway does not need it to serve. The two plugins keep the bundle from reading them.
 */

/** Has modules get `node:http` by `require`, because an import reads all its exports, and `WebSocket` is one. */
const requiredHttp: Plugin = {
  name: 'required-http',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'required' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** What axios reads of the global object while it is loaded. */
const READS_FORM_DATA = /(?<=const FormDataCtor = ).*(?=;)/;

/** Leaves out the parts of axios that send forms or call by `fetch`. Nothing here uses them. */
const leanAxios: Plugin = {
  name: 'lean-axios',
  setup(build) {
    build.onLoad(
      { filter: /\/axios\/lib\/(?:adapters\/fetch|platform\/node\/classes\/FormData)\.js$/ },
      () => ({
        contents: 'export const getFetch = undefined; export default null;',
      }),
    );
    build.onLoad({ filter: /\/axios\/lib\/utils\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!READS_FORM_DATA.test(text)) throw new Error(`${path} reads FormData in another way than before`);
      return { contents: text.replace(READS_FORM_DATA, 'undefined') };
    });
  },
};

/** The options of esbuild that the bundle of the gateway and that of the bench (`test/bench/start-time.ts`) share. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  // `debug` takes it if a tool of the development has brought it.
  external: ['supports-color'],
  plugins: [requiredHttp, leanAxios],
  // Packages in CommonJS ask for Node's modules by `require`, which a module of ECMAScript does not have.
  banner: {
    js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;
