import { type IncomingMessage, request } from 'node:http';
import { Secret } from '../../../src/kernel/secret.ts';
import { createManualClock, type ManualClock } from '../time/manual-clock.ts';
import { type Stack, startStack } from '../gateway/stack.ts';

/** The tokens of the gateway that a console is served by: an operator, ada, and a viewer, vera. */
export const OPERATOR = 'the-token-of-ada-the-operator';
export const VIEWER = 'the-token-of-vera-the-viewer';

/** Headers of a request; a list is sent as several lines. */
export type SentHeaders = Readonly<Record<string, string | string[]>>;

/** What makes a session: the cookie of the browser, and the secret of the tab. */
export type TabHeaders = { readonly cookie: string; readonly 'x-portico-session-secret': string };

/** What a gateway answered, as it came. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

/** A gateway with a console, and requests whose targets and headers are sent as they stand: `fetch` would tidy them. */
export type ConsoleGateway = {
  readonly stack: Stack;
  readonly clock: ManualClock;
  send(method: string, path: string, headers?: SentHeaders, body?: string): Promise<RawAnswer>;
  /** What a page of the console sends with a change. */
  fromPage(origin?: string): SentHeaders;
  /** Signs in as a page does, and returns what the tab sends from then on. @throws where that is refused */
  signIn(token: string, headers?: SentHeaders): Promise<TabHeaders>;
  auditLines(): Promise<readonly string[]>;
  readonly close: () => Promise<unknown>;
};

function sendTo(adminUrl: string): ConsoleGateway['send'] {
  const { hostname, port } = new URL(adminUrl);
  return (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const asked = request({ hostname, port, method, path, headers: { ...headers }, agent: false });
      asked.on('error', reject);
      asked.on('response', (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('error', () => undefined);
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        // A stream of events would never end.
        if (answer.headers['content-type']?.startsWith('text/event-stream')) asked.destroy();
      });
      asked.end(body);
    });
}

/** Starts a gateway with the tokens of an operator and a viewer, or with none. */
export async function startConsole({ hasTokens }: { readonly hasTokens: boolean }): Promise<ConsoleGateway> {
  const clock = createManualClock();
  const stack = await startStack({
    clock,
    configure({ admin }) {
      const named = { token: undefined, hash: undefined };
      if (!hasTokens) return;
      admin.tokens = [
        { ...named, name: 'ada', role: 'operator', token: new Secret(OPERATOR) },
        { ...named, name: 'vera', role: 'viewer', token: new Secret(VIEWER) },
      ];
    },
  });
  const send = sendTo(stack.adminUrl);
  const fromPage = (origin = stack.adminUrl) => ({
    ...{ origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ...{ 'x-portico-console': '1', 'content-type': 'application/json' },
  });
  return {
    ...{ stack, clock, send, fromPage, close: () => stack.close() },
    async signIn(token, headers = {}) {
      const sent = { ...fromPage(), ...headers };
      const answer = await send('POST', '/api/session', sent, JSON.stringify({ token }));
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      const { secret } = JSON.parse(answer.text) as { secret: string };
      return { cookie: cookie.split(';')[0] ?? '', 'x-portico-session-secret': secret };
    },
    async auditLines() {
      const headers: SentHeaders = hasTokens ? { authorization: `Bearer ${VIEWER}` } : {};
      const { text } = await send('GET', '/api/audit', headers);
      return (JSON.parse(text) as { lines: string[] }).lines;
    },
  };
}
