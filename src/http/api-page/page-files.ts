import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * Our own files; the build puts those of Swagger UI beside them, so that the image needs no more than these. All paths
 * from this file name two folders above it, because the build moves it to `dist/bundle/serve`.
 */
const OWN = new URL('../../http/api-page/static/', import.meta.url);
/** The folder of Swagger UI if Portico runs from source. It is a dev dependency, so it may be missing. */
const PACKAGE = new URL('../../../node_modules/swagger-ui-dist/', import.meta.url);

const SCRIPT = 'swagger-ui-bundle.js';
const STYLE = 'swagger-ui.css';

/** The warning to an operator if Swagger UI is missing. */
export const NO_REFERENCE =
  'swagger-ui-dist is not installed, so the API page at /docs has no reference: run npm ci without --omit=dev, or write docs: false';

/** The folder that has Swagger UI; `undefined` if it is not installed, or not complete. */
function referenceFolder(): URL | undefined {
  return [OWN, PACKAGE].find((folder) => [SCRIPT, STYLE].every((name) => existsSync(new URL(name, folder))));
}

/** Whether the API page has its reference: Swagger UI is there. */
export function hasReference(): boolean {
  return referenceFolder() !== undefined;
}

/** A file that the API page loads, by the name that it has in addresses. */
export type PageFile = { readonly name: string; readonly type: string; read(): Promise<Buffer> };

/** What the API page consists of besides its HTML. Without Swagger UI, that is our own style alone. */
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
