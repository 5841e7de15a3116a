/**
 * Bundles the program into `dist`: `main.js`, what it loads later, the files of its threads, the page of the console, and
 * the licences of what is in them. `npm run build:program` runs it.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { consoleBuildOptions } from '../../admin/console/console-build-options.ts';
import { bundleOptions } from './bundle-options.ts';
import { thirdPartyText } from './third-party-licences.ts';

const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;

const program = await build({
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
  metafile: true,
  outdir,
  chunkNames: 'bundle/serve/[name]-[hash]',
});
const page = await build({
  ...consoleBuildOptions,
  metafile: true,
  outdir: resolve(outdir, 'admin/console/page'),
});
const bundles = [
  { metafile: program.metafile, base: '.' },
  { metafile: page.metafile, base: consoleBuildOptions.absWorkingDir },
];
writeFileSync(resolve(outdir, 'THIRD_PARTY.txt'), thirdPartyText(bundles));
