import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of a library that the pages use, and what is put behind it. */
export type VendorFile = { readonly file: string; readonly suffix?: string };

const require = createRequire(import.meta.url);

/** Preact keeps its modules beside its manifest, in folders by name. */
const preactFolder = () => dirname(require.resolve('preact/package.json'));
/** The main file of uPlot is one of several in a folder. */
const uplotFolder = () => dirname(require.resolve('uplot'));

/**
 * The files of libraries that the pages import, by the names that `index.html` gives them. uPlot has no small module, so
 * its small script becomes one.
 */
export const vendorFiles: Readonly<Record<string, () => VendorFile>> = {
  'vendor/preact.js': () => ({ file: join(preactFolder(), 'dist/preact.mjs') }),
  'vendor/preact-hooks.js': () => ({ file: join(preactFolder(), 'hooks/dist/hooks.mjs') }),
  'vendor/htm.js': () => ({ file: join(dirname(require.resolve('htm')), 'htm.module.js') }),
  'vendor/uplot.js': () => ({
    file: join(uplotFolder(), 'uPlot.iife.min.js'),
    suffix: '\nexport default uPlot;\n',
  }),
  'vendor/uplot.css': () => ({ file: join(uplotFolder(), 'uPlot.min.css') }),
};
