import type { BuildOptions } from 'esbuild';

/** How a program for Node is bundled: `bundle.ts` bundles the gateway so, and the bench what it compares its start with. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  // Packages in CommonJS ask for Node's modules by `require`, which a module of ECMAScript does not have.
  banner: {
    js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;
