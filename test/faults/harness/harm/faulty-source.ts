import type { FaultBench } from '../bench.ts';
import type { FaultGateway, GatewayOptions } from '../gateway.ts';
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamRequest,
} from '../../../support/upstream/scripted-upstream.ts';
import type { TruthOf } from '../truth.ts';
import { offsetList } from '../../../support/upstream/offset-list-yaml.ts';

/** A gateway in front of an upstream that a row scripts. */
export type FaultySetup = {
  readonly gateway: FaultGateway;
  readonly upstream: ScriptedUpstream;
  close(): Promise<unknown>;
};

/** The user of this number, as the upstream has it. */
export const nativeUser = (id: number) => ({
  id,
  name: `User ${id}`,
  mail: `u${id}@example.test`,
  made: '2026-01-02T03:04:05Z',
  bio: null,
  town: null,
  picture: null,
});

/** The truth about users with numbers below a million: what is not an error must be this. */
const truth: TruthOf = (path) => {
  const id = /^\/v1\/users\/user_(\d{1,6})$/.exec(path)?.[1];
  if (id === undefined) return undefined;
  const { name, mail, made } = nativeUser(Number(id));
  const profile = { bio: null, location: null, avatar_url: null };
  const data = { id: `user_${id}`, name, email: mail, created_at: made, profile };
  return { status: 200, body: JSON.stringify({ data }) };
};

/** The file of a source; `net` is what stands in its `net` beside the address. */
export function sourceFile(name: string, baseUrl: string, net: string): string {
  return `source: 1
name: ${name}
net: { baseUrl: '${baseUrl}', ${net} }
budget: { time: 400ms }
outcomes:
  - { status: 200, is: ok }
  - { on: get, status: 404, at: error, equals: no_such_user, is: not_found }
resources:
  users:
    id: { kind: number }
    ${offsetList('/users')}
      map: { id: id, name: name, email: mail, created_at: { from: made, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: user
      map:
        id: id
        name: name
        email: mail
        created_at: { from: made, as: [iso8601] }
        profile.bio: bio
        profile.location: town
        profile.avatar_url: picture
`;
}

/** How a gateway is started whose users come from one file; nothing of them is fresh for longer than a moment. */
export function faultyOptions(file: string, more: object = {}): GatewayOptions {
  const users = { source: 'faulty', deadline: '10s', cache: { fresh: '0s', notFound: '0s' }, ...more };
  return { config: { resources: { users } }, sources: { 'faulty.yaml': file }, truth };
}

/** How long a call may take, in ms: on a busy machine, a sound one must not come too late. */
export const timeoutMs = ({ strict }: FaultBench) => (strict ? HASTY_MS : 30_000);
/** How long it may take where the upstream hangs. */
export const HASTY_MS = 600;

/** No breaker: a row follows the other, and each fails more often than a breaker bears. */
const netOf = (ms: number) =>
  `timeout: ${ms}ms, bytesMax: 5MiB, breaker: { calls: 1000000 }, retries: { max: 1, budget: 100, pauseMax: 300ms }`;

function setupOf(bench: FaultBench, name: string, ms: number): Promise<FaultySetup> {
  return bench.common(name, async (start) => {
    const upstream = await startUpstream();
    // No caller waits long enough for a second call that takes all of its time.
    const patience = { deadline: `${ms * 1.5}ms` };
    const { config, ...options } = faultyOptions(sourceFile('faulty', upstream.origin, netOf(ms)), patience);
    const route = { name: 'raw', path: '/legacy/raw', methods: ['GET'], upstream: upstream.origin };
    const raw = { ...route, breaker: { calls: 1_000_000 } };
    const passthrough = [{ ...raw, permission: 'orders:read' }];
    const gateway = await start({ ...options, config: { ...config, passthrough } });
    return { gateway, upstream, close: () => Promise.all([gateway.close(), upstream.close()]) };
  });
}

/** The gateway that all rows share which only need an upstream to misbehave. */
export const faultySetup = (bench: FaultBench) => setupOf(bench, 'faulty', timeoutMs(bench));

/** That of the rows in which the upstream hangs. */
export const impatientSetup = (bench: FaultBench) =>
  bench.strict ? faultySetup(bench) : setupOf(bench, 'hasty', HASTY_MS);

/** How long the breaker of `breakingSetup` stays open: on a busy machine, long enough to look at it. */
export const openMs = ({ strict }: FaultBench) => (strict ? 300 : 3_000);
/** How many calls it looks at. */
export const BREAKER_CALLS = 60;

/** The gateway of the rows in which a breaker opens; older answers may stand for new ones. */
export function breakingSetup(bench: FaultBench): Promise<FaultySetup> {
  return bench.common('breaking', async (start) => {
    const upstream = await startUpstream();
    const net = `concurrency: 64, breaker: { calls: ${BREAKER_CALLS}, window: 1m, open: ${openMs(bench)}ms }`;
    const cache = { fresh: '0s', notFound: '0s', staleIfError: '1m' };
    const gateway = await start(faultyOptions(sourceFile('faulty', upstream.origin, net), { cache }));
    return { gateway, upstream, close: () => Promise.all([gateway.close(), upstream.close()]) };
  });
}

let lastId = 0;

/** The path of a user that nobody has asked for yet. */
export function anyUser(): string {
  lastId += 1;
  return `/v1/users/user_${lastId}`;
}

/** An answer as bytes; its length is told unless `headers` tell it. */
export function answerOf(status: number, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const framed = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const length = framed ? [] : [`Content-Length: ${bytes.length}`];
  const typed = headers.some((line) => /^content-type:/i.test(line));
  const type = typed ? [] : ['Content-Type: application/json'];
  const head = [`HTTP/1.1 ${status} Told`, ...type, ...length, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** The body of the right answer to a question for one user. */
export const goodBody = (id: number) => JSON.stringify({ user: nativeUser(id) });

/** Answers as a sound upstream does. */
export function answerWell({ id, socket }: UpstreamRequest): void {
  socket.write(answerOf(200, goodBody(id)));
}

/**
 * Asks often at once while a breaker is half open, and resolves with the answers. The upstream answers the one that the
 * breaker lets through only when all others have been refused: on a busy machine, too, they all meet a half-open breaker.
 */
export async function askHalfOpen<T>(
  upstream: ScriptedUpstream,
  ask: () => Promise<T>,
  answer: (request: UpstreamRequest) => unknown,
): Promise<T[]> {
  const count = 50;
  let refused = 0;
  const held: UpstreamRequest[] = [];
  const answerHeld = () => {
    if (refused >= count - 1) for (const request of held.splice(0)) answer(request);
  };
  upstream.does((request) => {
    held.push(request);
    answerHeld();
  });
  const askOnce = async () => {
    const answered = await ask();
    refused += 1;
    answerHeld();
    return answered;
  };
  return Promise.all(Array.from({ length: count }, askOnce));
}
