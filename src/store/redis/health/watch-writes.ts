// Notices that a Redis answers but takes no writes, for the log, the metrics and the incidents.

import type { Redis } from 'ioredis';
import { readMemory, type RedisMemory } from './memory.ts';
import { redisHint } from './redis-hint.ts';

/** Why Redis answers, but takes no writes. `full`: no memory is left and it may evict nothing; `refusing`: another reason. */
export type WriteTrouble = { readonly state: 'full' | 'refusing'; readonly detail: string };

/**
 * What `watchWrites` needs. It asks `client` for its memory every second while `isReady`; `log` gets a line when writes
 * begin to fail, and another line when they succeed again.
 */
export type WatchWritesDeps = {
  readonly client: Redis;
  readonly isReady: () => boolean;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

const LOOK_MS = 1_000;
/** For how long a refused write counts, if the memory of Redis does not explain it. */
const REFUSED_MS = 5_000;
/** A full Redis counts as full until it uses less than this part of its memory; above it, the next write may fail again. */
const ROOM_PART = 0.97;

/** The errors with which Redis refuses a write; older versions put them inside the error of a script. */
const REFUSAL = /(?:^|-)(OOM|READONLY|NOPERM|NOREPLICAS)\b.*?(?= script: |$)/;
/** A refusal of INFO does not count: only this watch needs it, and writes still succeed. */
const OF_INFO = /'info'/i;

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** Whether a server with the policy `noeviction` uses at least this part of its memory. */
const uses =
  (part: number) =>
  ({ policy, usedBytes, maxBytes }: RedisMemory): boolean =>
    policy === 'noeviction' && maxBytes > 0 && usedBytes >= maxBytes * part;

const fullness = ({ usedBytes, maxBytes, policy }: RedisMemory) =>
  `${mebibytes(usedBytes)} of ${mebibytes(maxBytes)} are used, and its maxmemory-policy is ${policy}`;

/**
 * Watches whether a Redis takes writes. PING does not show this, because a full Redis still answers PING and reads. So each
 * refused command counts, and the memory is read every second, because there may be no writes at the moment.
 */
export function watchWrites({ client, isReady, log }: WatchWritesDeps) {
  let trouble: WriteTrouble | undefined;
  let refusedAt = -Infinity;

  function enter(state: WriteTrouble['state'], problem: string): void {
    const hint = redisHint(state === 'full' ? 'OOM' : problem);
    if (trouble?.state !== state)
      log.warn({ problem, hint }, state === 'full' ? 'Redis is full' : 'Redis refuses what is written');
    trouble = { state, detail: hint === undefined ? problem : `${problem}; ${hint}` };
  }

  function leave(): void {
    if (trouble === undefined) return;
    trouble = undefined;
    log.info({}, 'Redis takes what is written again');
  }

  async function look(): Promise<void> {
    if (!isReady()) return;
    const servers = await readMemory(client).catch(() => []);
    const full = servers.find(uses(1));
    if (full !== undefined) enter('full', fullness(full));
    else if (!servers.some(uses(ROOM_PART)) && performance.now() - refusedAt > REFUSED_MS) leave();
  }

  const timer = setInterval(() => void look(), LOOK_MS).unref();

  return {
    /** Takes note of an error with which Redis answered a command. */
    onRefused({ message }: Error): void {
      const refusal = REFUSAL.exec(message);
      if (refusal === null || OF_INFO.test(message)) return;
      refusedAt = performance.now();
      enter(refusal[1] === 'OOM' ? 'full' : 'refusing', refusal[0]);
    },
    /** Why writes fail at this moment; `undefined` if they succeed, or no write was tried. */
    trouble: (): WriteTrouble | undefined => trouble,
    close: (): void => clearInterval(timer),
  };
}
