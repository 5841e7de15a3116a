// Fails each command to which Redis does not answer in time, so that no caller waits for a Redis that hangs.

import type { Redis } from 'ioredis';

/** A command of ioredis. Its `reject` fails the call that sent the command. */
export type RedisCommand = Parameters<Redis['sendCommand']>[0];

/** How long commands may wait, and who is told. Only time in which this process reads its sockets counts. */
export type PendingCommandsOptions = {
  /** How long a command may wait, in milliseconds; checked in steps of a tenth of this time. */
  readonly timeoutMs: number;
  /**
   * Called at each check while commands wait, and afterwards for as long as it returns true. `quietMs`: for how long the
   * oldest command has waited without any data on the connection.
   */
  readonly onQuiet: (quietMs: number) => boolean;
  /** Called with the error of every command that fails. */
  readonly onError: (error: Error) => void;
};

/** The time between two checks, in parts of the command timeout. */
const STEP = 0.1;
/** How much of the time between two checks counts at most, in steps; more than 1, because timers are a little late. */
const STEPS_MAX = 1.5;

/**
 * A clock of the time in which this process reads its sockets. It counts at most `longestMs` between two checks, because a
 * process that was stopped or busy has read nothing, and its timers run before it reads the answers.
 */
function createListeningClock(longestMs: number) {
  let [listenedMs, checkedAt] = [0, performance.now()];
  const now = () => listenedMs + Math.min(longestMs, performance.now() - checkedAt);
  return {
    now,
    check(): number {
      listenedMs = now();
      checkedAt = performance.now();
      return listenedMs;
    },
  };
}

/** Creates the record of the commands of one connection that wait for an answer. Each fails after the command timeout. */
export function createPendingCommands({ timeoutMs, onQuiet, onError }: PendingCommandsOptions) {
  const stepMs = timeoutMs * STEP;
  const clock = createListeningClock(stepMs * STEPS_MAX);
  /** Since when each command waits, the oldest first. */
  const sinceMs = new Map<RedisCommand, number>();
  let timer: NodeJS.Timeout | undefined;
  let [oldestMs, receivedMs, answers] = [0, 0, 0];

  function schedule(): void {
    timer = setTimeout(check, stepMs).unref();
  }

  function check(): void {
    timer = undefined;
    const now = clock.check();
    for (const [command, since] of sinceMs) {
      if (now - since < timeoutMs) break;
      sinceMs.delete(command);
      command.reject(new Error('Redis has not answered in time'));
    }
    [oldestMs = oldestMs] = sinceMs.values();
    if (onQuiet(now - Math.max(oldestMs, receivedMs)) || sinceMs.size > 0) schedule();
  }

  return {
    add(command: RedisCommand): void {
      if (sinceMs.has(command)) return;
      if (timer === undefined) {
        clock.check();
        schedule();
      }
      sinceMs.set(command, clock.now());
      const forget = (result: unknown) => {
        sinceMs.delete(command);
        if (result instanceof Error) onError(result);
      };
      command.promise.then(forget, forget);
    },
    /** Call this when the connection has received data. */
    onData(): void {
      receivedMs = clock.now();
      answers += 1;
    },
    /** How often the connection has received data. */
    answers: (): number => answers,
    /** Removes and returns all commands. */
    takeAll(): readonly RedisCommand[] {
      const all = [...sinceMs.keys()];
      sinceMs.clear();
      return all;
    },
  };
}
