import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { sendProblem } from '../api/send-problem.ts';
import type { Coding, ConsoleFile, ConsoleFiles } from './console-files.ts';

const PREFIX = '/console/';
const INDEX = 'index.html';
const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];

/** What a page may load: what this listener serves, and nothing of others. It is in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

function headersOf(file: ConsoleFile, coding: Coding): Record<string, string> {
  return {
    'Content-Type': file.type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Asked again each time, and answered with 304: another version is another file under the same name.
    'Cache-Control': 'no-cache',
    ETag: `"${file.digest}-${coding}"`,
    Vary: 'Accept-Encoding',
    ...(coding !== 'identity' && { 'Content-Encoding': coding }),
  };
}

async function send(req: Request, res: Response, file: ConsoleFile): Promise<void> {
  const [coding] = CODINGS.filter((one) => req.acceptsEncodings(one) !== false);
  res.set(headersOf(file, coding ?? 'identity'));
  if (req.fresh) {
    res.removeHeader('Content-Encoding');
    res.status(304).end();
    return;
  }
  const body = await file.body(coding ?? 'identity');
  res.set('Content-Length', String(body.length));
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Whether somebody opens an address in a browser. */
const isForPeople = ({ headers }: Request) => headers.accept?.includes('text/html') === true;

/**
 * Creates what serves the pages of the console. They hold no data, so they are for everybody who reaches the listener. A
 * path is looked up in a list as it was sent, so none leads out of it. Addresses are relative: a proxy may add a path.
 */
export function createConsoleRoute(files: ConsoleFiles, log: Pick<Logger, 'warn'>): RequestHandler {
  async function answer(req: Request, res: Response, name: string): Promise<void> {
    try {
      const file = await files.find(name === '' ? INDEX : name);
      if (file !== undefined) {
        await send(req, res, file);
        return;
      }
      const hint = 'open console/ of this listener';
      sendProblem(res, { code: 'not_found', reason: 'there is no such file of the console', hint });
    } catch (error) {
      log.warn({ name, reason: (error as Error).message }, 'a file of the console cannot be read');
      const hint = 'the log of the gateway says why';
      sendProblem(res, { code: 'failed', reason: 'the file cannot be read', hint });
    }
  }

  return function serveConsole(req, res, next) {
    const { method, path } = req;
    if (method !== 'GET' && method !== 'HEAD') next();
    else if (path === '/console' || (path === '/' && isForPeople(req))) {
      res.status(302).set('Location', 'console/').end();
    } else if (path.startsWith(PREFIX)) void answer(req, res, path.slice(PREFIX.length));
    else next();
  };
}
