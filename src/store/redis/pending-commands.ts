import type { Redis } from 'ioredis';

export type RedisCommand = Parameters<Redis['sendCommand']>[0];

/** The commands of one connection that wait for a reply. */
export type PendingCommands = {
  add(command: RedisCommand): void;
  /** Records that data has arrived on the connection. */
  hear(): void;
  /** How many times data has arrived. */
  heard(): number;
  /** Removes and returns all waiting commands. */
  takeAll(): readonly RedisCommand[];
};

export type PendingCommandsOptions = {
  /** How long a command may wait, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Called repeatedly while commands wait, or while it returns true. `quietMs` is how long no data has arrived although
   * a command waited.
   */
  readonly onQuiet: (quietMs: number) => boolean;
};

/** The interval of the checks, as a part of the command timeout. */
const STEP = 0.1;
/** The most time that counts between two checks, in steps: timers may be a little late. */
const STEPS_MAX = 1.5;

/**
 * A clock that stands still while this process cannot read: at most `longestMs` count between two checks. A process
 * that was stopped or busy has read nothing meanwhile, and its timers run before it reads.
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

/** Creates the list of waiting commands, which rejects each one after its timeout. */
export function createPendingCommands({ timeoutMs, onQuiet }: PendingCommandsOptions): PendingCommands {
  const stepMs = timeoutMs * STEP;
  const attention = createAttention(stepMs * STEPS_MAX);
  /** The commands, the oldest first, with the time at which their wait began. */
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
