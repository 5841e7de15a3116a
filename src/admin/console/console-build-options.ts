// How the page of the console is bundled, and where its files are: for the build, and for a gateway that runs from source.

import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/**
 * The folder of the page: its sources in `src`, its bundle in `dist`. The path begins two folders above this file, because
 * the build moves this file to `dist/bundle/serve`.
 */
export const CONSOLE_PAGE_FOLDER = fileURLToPath(new URL('../../admin/console/page/', import.meta.url));

/** The options of esbuild for the page of the console: one script and one style sheet with their libraries; other files are copied. */
export const consoleBuildOptions = {
  absWorkingDir: CONSOLE_PAGE_FOLDER,
  entryPoints: ['index.html', 'icon.svg', 'app.css', 'main.ts'],
  loader: { '.html': 'copy', '.svg': 'copy' },
  bundle: true,
  minify: true,
  format: 'esm',
  logLevel: 'silent',
} as const satisfies BuildOptions;
