import type { Redis } from 'ioredis';
import { readMemory, type RedisMemory } from './memory.ts';
import { redisHint } from './redis-hint.ts';

/** Why a Redis that answers takes no writes. `full`: it may evict nothing; `refusing`: for another reason. */
export type WriteTrouble = { readonly state: 'full' | 'refusing'; readonly detail: string };

/**
 * `client` is asked for its memory every second while `isReady`; `log` gets a line when writes begin to fail, and one
 * when they are taken again.
 */
export type WriteWatchDeps = {
  readonly client: Redis;
  readonly isReady: () => boolean;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

const LOOK_MS = 1_000;
/** A refusal counts for so long if Redis does not tell its memory by itself. */
const REFUSED_MS = 5_000;
/** Below this part of its memory a full Redis has room again; more than that may be used up by the next write. */
const ROOM_PART = 0.97;

/** What Redis says of a write that it does not take; older versions say it inside the error of a script. */
const REFUSAL = /(?:^|-)(OOM|READONLY|NOPERM|NOREPLICAS)\b.*?(?= script: |$)/;
/** The right to ask for INFO is ours alone, and nothing of a caller's needs it. */
const OF_INFO = /'info'/i;

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** Whether a server that evicts nothing uses this part of its memory, or more. */
const uses =
  (part: number) =>
  ({ policy, usedBytes, maxBytes }: RedisMemory): boolean =>
    policy === 'noeviction' && maxBytes > 0 && usedBytes >= maxBytes * part;

const fullness = ({ usedBytes, maxBytes, policy }: RedisMemory) =>
  `${mebibytes(usedBytes)} of ${mebibytes(maxBytes)} are used, and its maxmemory-policy is ${policy}`;

/**
 * Watches whether a Redis takes writes. PING does not tell: a full Redis answers it, and reads, as ever. So each refused
 * command counts, and every second the memory is read, as nobody may write just now.
 */
export function createWriteWatch({ client, isReady, log }: WriteWatchDeps) {
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
    /** Takes note of an error that Redis answered a command with. */
    onRefused({ message }: Error): void {
      const refusal = REFUSAL.exec(message);
      if (refusal === null || OF_INFO.test(message)) return;
      refusedAt = performance.now();
      enter(refusal[1] === 'OOM' ? 'full' : 'refusing', refusal[0]);
    },
    /** What is wrong at this moment; `undefined` if writes are taken, or nobody has tried. */
    trouble: (): WriteTrouble | undefined => trouble,
    close: (): void => clearInterval(timer),
  };
}
