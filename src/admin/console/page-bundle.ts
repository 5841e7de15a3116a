import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/**
 * The page, in `src` as it was written, in `dist` as it was bundled. The path names two folders above this file, because
 * the build moves the file to `dist/bundle/serve`.
 */
export const PAGE_FOLDER = fileURLToPath(new URL('../../admin/console/page/', import.meta.url));

/** How esbuild makes what a browser loads: one script and one style sheet, each with its libraries, and the rest as it is. */
export const pageBundle = {
  absWorkingDir: PAGE_FOLDER,
  entryPoints: ['index.html', 'icon.svg', 'app.css', 'main.ts'],
  loader: { '.html': 'copy', '.svg': 'copy' },
  bundle: true,
  minify: true,
  format: 'esm',
  logLevel: 'silent',
} as const satisfies BuildOptions;
