/**
 * Bundles the program into `dist`: `main.js`, what it loads later, the files of its threads, and the page of the console.
 * `npm run build:program` runs it.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { consoleBuildOptions } from '../../admin/console/console-build-options.ts';
import { bundleOptions } from './bundle-options.ts';

const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;

await build({
  ...bundleOptions,
  entryPoints: {
    main: 'src/main.ts',
    index: 'src/library.ts',
    'bundle/serve/reading-thread': 'src/pipeline/reading/large-replies/reading-thread.ts',
    'bundle/serve/config-check-thread': 'src/cli/input/config-check-thread.ts',
  },
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  outdir,
  chunkNames: 'bundle/serve/[name]-[hash]',
});
await build({ ...consoleBuildOptions, outdir: resolve(outdir, 'admin/console/page') });
