import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { joinModules } from './join-modules.ts';
import { minifyAsset } from './minify-asset.ts';
import { vendorFiles } from './vendor-files.ts';

/** A content coding (RFC 9110, section 8.4.1) that a file of the console is served in; `identity` is the file as it is. */
export type Coding = 'br' | 'gzip' | 'identity';

/** A file of the console as it is served. */
export type ConsoleFile = {
  readonly type: string;
  /** SHA-256 of the file, base64url. */
  readonly digest: string;
  /** The scripts inside of a page, by their hashes as a content security policy names them. */
  readonly scriptHashes: readonly string[];
  /** The file in a coding; compressed once, in another thread. */
  body(coding: Coding): Promise<Buffer>;
};

/** The files of the console. They are read once, each at its first use. */
export type ConsoleFiles = {
  /** The file of a name such as `app.css`; `undefined` where the list of files has none. Rejects where it cannot be read. */
  find(name: string): Promise<ConsoleFile | undefined>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The script that the page names: all modules of the pages, beginning with the one of this name. */
const SCRIPT = 'main.js';

/**
 * The page, in `src` as it was written, in `dist` as it was compiled. The path names two folders above this file, because
 * the build moves the file to `dist/bundle/serve`.
 */
const FOLDER = fileURLToPath(new URL('../../admin/console/page/', import.meta.url));

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;
const IMPORT_OF_TS = /(\bfrom\s*|\bimport\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Makes a function of one key run once for each; a failure is forgotten, so that the next call tries again. */
function once<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const begun = work(key);
    made.set(key, begun);
    begun.catch(() => made.delete(key));
    return begun;
  };
}

function encode(bytes: Buffer, coding: string): Promise<Buffer> {
  if (coding === 'identity') return Promise.resolve(bytes);
  if (coding === 'gzip') return toGzip(bytes, { level: 9 });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return toBrotli(bytes, { params });
}

function fileOf(name: string, text: string): ConsoleFile {
  const bytes = Buffer.from(text);
  const scripts = name.endsWith('.html') ? [...text.matchAll(INLINE_SCRIPT)] : [];
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    digest: hash('sha256', bytes, 'base64url'),
    scriptHashes: scripts.map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`),
    body: once((coding) => encode(bytes, coding)),
  };
}

/** TypeScript as a browser takes it: without types, and with imports of what is served. */
function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text, { mode: 'strip' }).replaceAll(IMPORT_OF_TS, '$1$2$3.js$2');
}

/** The modules of the pages as one script. In `dist` they are JavaScript. */
async function readScript(modules: ReadonlyMap<string, string>): Promise<string> {
  const texts = [...modules].map(async ([name, file]) => {
    const text = await readFile(file, 'utf8');
    return [name, minifyAsset(file.endsWith('.ts') ? toJavaScript(text) : text)] as const;
  });
  return joinModules(SCRIPT, new Map(await Promise.all(texts)));
}

/** How each file is read, by the name that it is served under. Declarations and tests have no place among them. */
async function listFiles(): Promise<ReadonlyMap<string, () => Promise<string>>> {
  const found = new Map<string, () => Promise<string>>();
  const modules = new Map<string, string>();
  for (const entry of await readdir(FOLDER, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const name = relative(FOLDER, file).split(sep).join('/');
    const read = () => readFile(file, 'utf8');
    if (!entry.isFile() || name.endsWith('.d.ts')) continue;
    if (/\.[jt]s$/.test(name)) modules.set(name.replace(/\.ts$/, '.js'), file);
    else if (name.endsWith('.css')) found.set(name, async () => minifyAsset(await read()));
    else if (extname(name) in TYPES) found.set(name, read);
  }
  found.set(SCRIPT, () => readScript(modules));
  for (const [name, vendor] of Object.entries(vendorFiles))
    found.set(name, async () => {
      const { file, suffix = '' } = vendor();
      return (await readFile(file, 'utf8')) + suffix;
    });
  return found;
}

/** Creates the files of the console. Nothing is read before the first is asked for. */
export function createConsoleFiles(): ConsoleFiles {
  const list = once(listFiles);
  const open = once(async (name: string) => {
    const read = (await list('')).get(name);
    return read && fileOf(name, await read());
  });
  return { find: async (name) => ((await list('')).has(name) ? open(name) : undefined) };
}
