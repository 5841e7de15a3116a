import { freePort } from '../process/free-port.ts';
import {
  answering,
  onHead,
  type Script,
  type ScriptedUpstream,
  silent,
  startUpstream,
} from './scripted-upstream.ts';

/** A text that stands in whatever a failing upstream says, and may never reach a caller. */
export const INNER_TEXT = 'ORA-12541 at db7.inner.example:1521';

function reply(status: string, type: string, body: string, length = Buffer.byteLength(body)): string[] {
  return [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${String(length)}`, '', body];
}

const scripts = {
  'resets the connection': onHead((socket) => socket.resetAndDestroy()),
  'says nothing': silent,
  'answers 500': answering(...reply('500 Internal Server Error', 'text/plain', INNER_TEXT)),
  'answers with a page of HTML': answering(...reply('200 OK', 'text/html', `<h1>${INNER_TEXT}</h1>`)),
  'answers with JSON of another shape': answering(
    ...reply('200 OK', 'application/json', JSON.stringify({ unexpected: [INNER_TEXT] })),
  ),
  'stops in the middle of its answer': onHead((socket) => {
    socket.end(reply('200 OK', 'application/json', `{"rc":0,"x":"${INNER_TEXT}`, 4_096).join('\r\n'));
  }),
  'refuses the credential with 401': answering(...reply('401 Unauthorized', 'text/plain', INNER_TEXT)),
  'refuses the credential with 403': answering(...reply('403 Forbidden', 'text/plain', INNER_TEXT)),
} satisfies Record<string, Script>;

/** A way for an upstream to fail. */
export type FaultName = keyof typeof scripts | 'refuses connections';

/** Starts an upstream that fails in one way. */
export async function startFailingUpstream(fault: FaultName): Promise<ScriptedUpstream> {
  if (fault !== 'refuses connections') return startUpstream(scripts[fault]);
  const upstream = await startUpstream(silent, { port: await freePort() });
  await upstream.down();
  return upstream;
}
