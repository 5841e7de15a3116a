import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKey, newKeyId } from '../../../../src/pipeline/stages/authentication/api-key.ts';
import { askRaw, connectRaw, request } from '../../../support/client/raw-client.ts';
import type { FaultGateway } from '../gateway.ts';
import type { SoakSetup } from './place.ts';
import type { AskOptions } from '../load/traffic.ts';

const CALLERS = 6;
const PAUSE_MS = 25;
const FLEET_PAUSE_MS = 100;
/** Snapshots keep what they found for a filter while they live: so few filters that all are kept early in each life. */
const FILTERS = 20;
const ADDRESSES = 5;
const TOKENS = 6;

/** Well-formed keys that nobody has: so few that all are known to be unknown early. */
const unknownKeys = Array.from({ length: 200 }, () => newApiKey(newKeyId()));

/** A caller with wrong credentials, at an address that is not the others'. */
function stranger(n: number, key: string): AskOptions {
  return { key, headers: { 'X-Forwarded-For': `192.0.2.${1 + (n % ADDRESSES)}` } };
}

/** Asks and goes before the answer has come. */
async function leaveEarly({ port, configuredKey }: FaultGateway, n: number, bytes?: string): Promise<void> {
  const caller = await connectRaw(port);
  caller.send(bytes ?? request('GET', `/v1/users?page=${1 + n}&limit=9`, [`X-API-Key: ${configuredKey}`]));
  await sleep(n % 7);
  if (n % 2 === 0) caller.close();
  else caller.socket.resetAndDestroy();
}

/** What a service that fails in the middle of an answer leaves of it cannot be mended behind its head: it ends. */
async function passThrough({ ask }: FaultGateway, method: string): Promise<void> {
  await ask('/legacy/orders', { method }).catch(() => undefined);
}

type Question = (gateway: FaultGateway, n: number, place: SoakSetup) => Promise<unknown>;

const again: Question = ({ ask }, n) => ask(`/v1/users?limit=${1 + (n % 5)}`);

/** What is asked in turn: kept answers, new ones, none, orders passed through, wrong credentials, callers who leave. */
const questions: readonly Question[] = [
  again,
  ({ ask }, n) => ask(`/v1/users?page=${1 + n}&limit=7`),
  again,
  ({ ask }, n) => ask(`/v1/products?limit=${1 + (n % 100)}&min_price=${n % FILTERS}`),
  again,
  ({ ask }, n) => ask(`/v1/users/user_${90_000 + n}`),
  again,
  (gateway) => passThrough(gateway, 'GET'),
  again,
  ({ ask }, n) => ask('/v1/users?limit=2', stranger(n, unknownKeys[n % unknownKeys.length]!)),
  again,
  (gateway, n) => leaveEarly(gateway, n),
  async ({ ask }, n, { issuer }) =>
    ask(`/v1/users?limit=4&page=${1 + (n % 3)}`, { key: await issuer.token(n % TOKENS), entitled: true }),
  ({ ask }, n) => ask('/v1/users?limit=2', stranger(n, `ptk_nobody_${n}`)),
  ({ ask }, n) => ask(`/v1/users?sort=-name&limit=${1 + (n % 40)}`),
  ({ port, configuredKey }) =>
    askRaw(
      port,
      request('GET', '/v1/users?limit=40', [`X-API-Key: ${configuredKey}`, 'Accept-Encoding: gzip']),
    ),
  (gateway, n) => leaveEarly(gateway, n, 'GET /v1/users HTTP/1.1\r\nHost: half'),
  ({ ask }, n) => ask(`/v1/products?limit=${1 + (n % 40)}`, { method: 'HEAD' }),
  ({ port }) =>
    askRaw(port, 'GET /v1/users HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'),
  ({ ask }, n) => ask(`/v1/users?limit=${1_000 + n}`),
  (gateway) => passThrough(gateway, 'POST'),
];

async function ask(place: SoakSetup, n: number): Promise<void> {
  await questions[n % questions.length]!(place.gateway, Math.floor(n / questions.length), place);
  await sleep(PAUSE_MS);
}

/** The workers are asked on a new connection each time: those that leave close theirs. */
async function askFleet({ fleet }: SoakSetup, n: number): Promise<void> {
  await fleet.ask(`/v1/users?limit=${1 + (n % 40)}&page=${1 + (n % 3)}`, {
    headers: { connection: 'close' },
  });
  await sleep(FLEET_PAUSE_MS);
}

/** Mixed load until `work` has ended: the number of the last question, from that of the one before. */
export async function mixedLoad(
  place: SoakSetup,
  from: number,
  work: () => Promise<unknown>,
): Promise<number> {
  let [n, over] = [from, false];
  const isOver = () => over;
  async function call(one: (place: SoakSetup, n: number) => Promise<void>): Promise<void> {
    while (!isOver()) await one(place, (n += 1));
  }
  const calls = Promise.all([...Array.from({ length: CALLERS }, () => call(ask)), call(askFleet)]);
  try {
    await Promise.race([work(), calls]);
  } finally {
    over = true;
  }
  await calls;
  return n;
}
