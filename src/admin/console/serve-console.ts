import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { sendProblem } from '../access/guard.ts';
import type { Coding, ConsoleFile, ConsoleFiles } from './console-files.ts';

const PREFIX = '/console/';
const INDEX = 'index.html';
const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];

/** A page may load only what this listener serves, and may not be shown in a frame. */
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
    // The browser asks again each time and gets 304, because another version has other files under the same names.
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

/** Whether a browser opens the address. */
const isForPeople = ({ headers }: Request) => headers.accept?.includes('text/html') === true;

/**
 * Creates the handler of the console's files. They hold no data, so everybody who reaches the listener gets them. A path is
 * looked up in a list, so none can leave the folder. Addresses are relative, because a proxy may add a path.
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
