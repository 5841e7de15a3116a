import type { Redis } from 'ioredis';

export type RedisCommand = Parameters<Redis['sendCommand']>[0];

/** The commands of one connection that wait for an answer. */
export type PendingCommands = {
  add(command: RedisCommand): void;
  /** The connection has told something. */
  hear(): void;
  /** How often it has told something. */
  heard(): number;
  /** All that wait, which are forgotten. */
  takeAll(): readonly RedisCommand[];
};

export type PendingCommandsOptions = {
  /** How long a command may wait, milliseconds. */
  readonly timeoutMs: number;
  /**
   * Told again and again while commands wait, or while it says that it wants to be: for how long nothing has been heard
   * that somebody has waited for.
   */
  readonly onQuiet: (quietMs: number) => boolean;
};

/** How often those who wait are looked at, in parts of the command timeout. */
const STEP = 0.1;
/** How much of the time between two looks counts, in steps: timers are late a little. */
const STEPS_MAX = 1.5;

/**
 * A clock of the time in which this process listens. Of what goes by between two looks no more counts than `longestMs`:
 * a process that was stopped or busy has read nothing meanwhile, and its timers come before what has arrived.
 */
function createAttention(longestMs: number) {
  let [listenedMs, lookedAt] = [0, performance.now()];
  const now = () => listenedMs + Math.min(longestMs, performance.now() - lookedAt);
  return {
    now,
    look(): number {
      listenedMs = now();
      lookedAt = performance.now();
      return listenedMs;
    },
  };
}

/** Creates the list of those who wait, and has each of them fail in time. */
export function createPendingCommands({ timeoutMs, onQuiet }: PendingCommandsOptions): PendingCommands {
  const stepMs = timeoutMs * STEP;
  const attention = createAttention(stepMs * STEPS_MAX);
  /** The commands, the oldest first, and since when they wait. */
  const waiting = new Map<RedisCommand, number>();
  let [owedAt, heardAt, heard, armed] = [0, 0, 0, false];

  function arm(): void {
    armed = true;
    setTimeout(look, stepMs).unref();
  }

  function failLate(now: number): void {
    for (const [command, since] of waiting) {
      if (now - since < timeoutMs) return;
      waiting.delete(command);
      command.reject(new Error('Redis has not answered in time'));
    }
  }

  function look(): void {
    armed = false;
    const now = attention.look();
    failLate(now);
    const [oldest = owedAt] = waiting.values();
    owedAt = oldest;
    if (onQuiet(now - Math.max(oldest, heardAt)) || waiting.size > 0) arm();
  }

  return {
    add(command) {
      if (waiting.has(command)) return;
      if (!armed) {
        attention.look();
        arm();
      }
      waiting.set(command, attention.now());
      const forget = () => waiting.delete(command);
      command.promise.then(forget, forget);
    },
    hear() {
      heardAt = attention.now();
      heard += 1;
    },
    heard: () => heard,
    takeAll() {
      const all = [...waiting.keys()];
      waiting.clear();
      return all;
    },
  };
}
