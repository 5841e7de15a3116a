import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { API_PAGE_PATH } from '../../config/schema/gateway.ts';
import { createDocumentEncodings, type OnCompressed } from '../../store/cache/encoded-bodies.ts';
import type { Responder, WebFile } from '../listener/responder.ts';
import { type Endpoint, READ_METHODS, type Route } from '../listener/routes.ts';
import { type ApiPageContent, pageHtml } from './page-html.ts';

/** The files that the page loads, with their media types. */
const FILES = { 'page.css': 'text/css', 'page.js': 'text/javascript' };
/** Their folder. The path goes two folders up and down again, because the build moves this file to `dist/bundle/serve`. */
const FOLDER = new URL('../../http/api-page/static/', import.meta.url);

/** The content security policy of the page: it may load files of this gateway, and its icon, which is empty. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";
const REVALIDATED = 'public, no-cache';
const KEPT_FOR_A_YEAR = 'public, max-age=31536000, immutable';
const HASH_LENGTH = 16;

/** The API page at `/docs`: the reference of the API for the people who call it. */
export type ApiPage = ReturnType<typeof createApiPage>;

type HashedFile = WebFile & { readonly hash: string };

/** The page for `/docs` and for `/docs/`, and by name the files that it loads. */
type LoadedPage = Awaited<ReturnType<typeof loadPage>>;

/** Sends the page or one of its files, once they are loaded. */
type SendLoaded = (
  loaded: LoadedPage,
  context: Parameters<Endpoint['serve']>[1],
  target: Parameters<Endpoint['serve']>[2],
) => void;

function webFile(body: Buffer, type: string, onCompressed: OnCompressed): HashedFile {
  const hash = createHash('sha256').update(body).digest('base64url');
  const etag = `"${hash}"`;
  const encodings = createDocumentEncodings(body, etag, onCompressed);
  return { body, etag, encodings, type, policy: POLICY, hash: hash.slice(0, HASH_LENGTH) };
}

/** Reads the files of the page, and renders it with their hashes. */
async function loadPage(content: ApiPageContent, onCompressed: OnCompressed) {
  const files = new Map<string, HashedFile>();
  for (const [name, type] of Object.entries(FILES))
    files.set(name, webFile(await readFile(new URL(name, FOLDER)), `${type}; charset=utf-8`, onCompressed));
  const hashes = new Map([...files].map(([name, { hash }]) => [name, hash]));
  const page = (root: './' | '../') =>
    webFile(Buffer.from(pageHtml({ content, root, hashes })), 'text/html; charset=utf-8', onCompressed);
  return { page: page('./'), pageWithSlash: page('../'), files };
}

const sendPage =
  ({ sendWebFile }: Pick<Responder, 'sendWebFile'>): SendLoaded =>
  ({ page, pageWithSlash }, context, { path }) =>
    sendWebFile(context, path.endsWith('/') ? pageWithSlash : page, REVALIDATED);

const sendFile =
  ({ sendWebFile }: Pick<Responder, 'sendWebFile'>, name: string): SendLoaded =>
  ({ files }, context, { query }) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`the API page has no file ${name}`);
    // During an upgrade, a page of another version may ask for another hash, so the file must not be kept for long.
    sendWebFile(context, file, query === `v=${file.hash}` ? KEPT_FOR_A_YEAR : REVALIDATED);
  };

/** Creates the API page of a contract. Its files are read, and it is rendered, on the first request. */
export function createApiPage(content: ApiPageContent, onCompressed: OnCompressed) {
  let loading: Promise<LoadedPage> | undefined;

  /** Loads the page once. If that fails, the next request tries it again. */
  function load(): Promise<LoadedPage> {
    loading ??= loadPage(content, onCompressed).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  function route(path: string, send: SendLoaded): Route<Endpoint> {
    const target: Endpoint = {
      operation: 'docs',
      route: path,
      methods: READ_METHODS,
      serve(_req, context, asked) {
        void load()
          .then((loaded) => send(loaded, context, asked))
          .catch(context.fail);
      },
    };
    return { path, target };
  }

  return {
    /** The routes of the page and of the files that it loads. */
    routes: (responder: Pick<Responder, 'sendWebFile'>): readonly Route<Endpoint>[] => [
      route(API_PAGE_PATH, sendPage(responder)),
      ...Object.keys(FILES).map((name) => route(`${API_PAGE_PATH}/${name}`, sendFile(responder, name))),
    ],
  };
}
