import type { BuildOptions } from 'esbuild';

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
  // Packages in CommonJS ask for Node's modules by `require`, which a module of ECMAScript does not have.
  banner: {
    js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;
