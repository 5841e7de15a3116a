// Finds the files of the API page: our own, and those of Swagger UI.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * The folder of our own files. The build copies Swagger UI into it, so that the image needs no other folder. Its path goes
 * two folders up and down again, because the build moves this file to `dist/bundle/serve`.
 */
const OWN = new URL('../../http/api-page/static/', import.meta.url);
/** The folder of Swagger UI if Portico runs from source. It is a dev dependency, so it may be missing. */
const PACKAGE = new URL('../../../node_modules/swagger-ui-dist/', import.meta.url);

const SCRIPT = 'swagger-ui-bundle.js';
const STYLE = 'swagger-ui.css';

/** The warning for an operator if Swagger UI is missing. */
export const NO_REFERENCE =
  'swagger-ui-dist is not installed, so the API page at /docs has no reference: run npm ci without --omit=dev, or write docs: false';

/** The folder that has Swagger UI; `undefined` if it is not installed or not complete. */
function referenceFolder(): URL | undefined {
  return [OWN, PACKAGE].find((folder) => [SCRIPT, STYLE].every((name) => existsSync(new URL(name, folder))));
}

/** Whether Swagger UI is installed, which shows the reference on the API page. */
export function hasReference(): boolean {
  return referenceFolder() !== undefined;
}

/** A file that the API page loads: its name in the URL, its media type, and how it is read. */
export type PageFile = { readonly name: string; readonly type: string; read(): Promise<Buffer> };

/** Finds the files that the HTML of the API page loads. Without Swagger UI, that is only our own style. */
export function findPageFiles(): readonly PageFile[] {
  const file = (name: string, type: string, folder: URL): PageFile => ({
    name,
    type: `${type}; charset=utf-8`,
    read: () => readFile(new URL(name, folder)),
  });
  const folder = referenceFolder();
  const style = file('page.css', 'text/css', OWN);
  if (folder === undefined) return [style];
  return [
    file(STYLE, 'text/css', folder),
    style,
    file(SCRIPT, 'text/javascript', folder),
    file('page.js', 'text/javascript', OWN),
  ];
}
