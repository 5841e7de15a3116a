// The files of the console's page: bundled or read once, and compressed. serve-console.ts serves them.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type * as Esbuild from 'esbuild';
import { CONSOLE_PAGE_FOLDER, consoleBuildOptions } from './console-build-options.ts';

/** A content coding (RFC 9110, section 8.4.1) that a file of the console is served in; `identity` is the file as it is. */
export type Coding = 'br' | 'gzip' | 'identity';

/** A file of the console as it is served. */
export type ConsoleFile = ReturnType<typeof fileOf>;

/** The files of the console. They are read once, at the first use. */
export type ConsoleFiles = ReturnType<typeof createConsoleFiles>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Makes a function run only once for each key; a failure is forgotten, so that the next call tries again. */
function once<Key extends string, T>(work: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const results = new Map<Key, Promise<T>>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const begun = work(key);
    results.set(key, begun);
    begun.catch(() => results.delete(key));
    return begun;
  };
}

function encode(bytes: Uint8Array, coding: Coding): Promise<Buffer> {
  if (coding === 'identity')
    return Promise.resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (coding === 'gzip') return toGzip(bytes, { level: 9 });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return toBrotli(bytes, { params });
}

function fileOf(name: string, bytes: Uint8Array) {
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    /** SHA-256 of the file, base64url. */
    digest: hash('sha256', bytes, 'base64url'),
    /** The file in a coding; compressed once, in another thread. */
    body: once((coding: Coding) => encode(bytes, coding)),
  };
}

/**
 * Bundles the page in memory, for a gateway that runs from source. esbuild is a development dependency that runs its own
 * process, so it is loaded only here and stopped at once.
 * @throws Error if esbuild is not installed, or cannot read the page
 */
async function bundlePage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build, stop } = createRequire(import.meta.url)('esbuild') as typeof Esbuild;
  try {
    const { outputFiles } = await build({
      ...consoleBuildOptions,
      outdir: CONSOLE_PAGE_FOLDER,
      write: false,
    });
    return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  } finally {
    await stop();
  }
}

/** Reads the page as the build has bundled it. */
async function readPage(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(CONSOLE_PAGE_FOLDER, name))] as const),
    ),
  );
}

/** The files by their names. The page is bundled here if the build has not done so. */
async function loadFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await readdir(CONSOLE_PAGE_FOLDER);
  const page = names.includes('main.js') ? await readPage(names) : await bundlePage();
  return new Map([...page].map(([name, bytes]) => [name, fileOf(name, bytes)]));
}

/** Creates the files of the console. Nothing is read before the first is asked for. */
export function createConsoleFiles() {
  const load = once(loadFiles);
  return {
    /** Finds a file such as `app.css`; `undefined` if there is no such file. Rejects if it cannot be read. */
    find: async (name: string) => (await load('')).get(name),
  };
}
