import type { Redis } from 'ioredis';
import { type RedisCommand, createPendingCommands } from './pending-commands.ts';

/** Who is told of a connection that stands and is of no use. */
export type WatchdogListener = {
  /** It does not answer, or Redis says that it cannot serve. */
  readonly silent: (problem: Error) => void;
  /** It serves again. */
  readonly heard: () => void;
};

/** How often a connection is asked whether it still answers; nobody else may use it. */
const BEAT_MS = 250;
/** The part of the command timeout after which nothing heard is silence: what is left is for those who have waited. */
const PATIENCE = 0.75;
/** A connection on which nothing is heard for so long is dropped, and made anew; not before a command may take longer. */
const SILENCE_MS_MAX = 1_000;

/** What Redis says to a PING while it cannot serve, or not fully (redis.io/docs/latest/commands/ping). */
const REFUSAL = /^(?:LOADING|MASTERDOWN|MISCONF|NOAUTH|CLUSTERDOWN|BUSY)\b/;

/** Whether an error is one that Redis has answered. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Makes commands fail that wait for longer than the command timeout (milliseconds), and at once while a connection
 * stands but does not answer: those that wait, and those that come until a PING is answered. Without it each stage of a
 * request would wait for the command timeout anew. ioredis' own timeouts are left out: they count a halt of this process
 * as one of Redis. Returns whether the connection is of no use at the moment: commands are sent on where Redis refuses a
 * PING, because it may refuse some of them only.
 */
export function attachWatchdog(client: Redis, timeoutMs: number, watch: WatchdogListener): () => boolean {
  const send = client.sendCommand.bind(client);
  const waiting = createPendingCommands({ timeoutMs, onQuiet });
  let [silent, refused, suspected, probing] = [false, false, false, false];

  function fail(command: RedisCommand): void {
    command.reject(new Error('Redis does not answer'));
  }

  function onQuiet(quietMs: number): boolean {
    const stands = client.status === 'ready' || client.status === 'connect';
    if (stands && quietMs >= Math.max(SILENCE_MS_MAX, timeoutMs))
      client.stream.destroy(new Error('nothing was heard for too long'));
    else if (client.status === 'ready' && quietMs >= timeoutMs * PATIENCE) suspect();
    return silent;
  }

  function fallSilent(): void {
    silent = true;
    watch.silent(new Error('it does not answer'));
    for (const command of waiting.takeAll()) fail(command);
    probe();
  }

  /** Asked with each beat: what answers may have swallowed a PING before, or have answered it with what was none. */
  function probe(): void {
    probing = true;
    client.ping().then(hear, (error: unknown) => isReply(error) && hear());
    probing = false;
  }

  /** What has arrived by now is read first. */
  function suspect(): void {
    if (silent || suspected) return;
    suspected = true;
    const heardBefore = waiting.heard();
    setImmediate(() => {
      suspected = false;
      if (client.status === 'ready' && waiting.heard() === heardBefore) fallSilent();
    });
  }

  function hear(): void {
    if (!silent) return;
    silent = false;
    watch.heard();
  }

  function accept(): void {
    if (!refused) return;
    refused = false;
    watch.heard();
  }

  function refuse(error: unknown): void {
    if (refused || !isReply(error) || !REFUSAL.test(error.message)) return;
    refused = true;
    watch.silent(error);
  }

  client.sendCommand = function sendUnlessSilent(command, stream) {
    if (probing) return send(command, stream);
    if (client.status === 'ready' && silent) {
      fail(command);
      return command.promise;
    }
    waiting.add(command);
    return send(command, stream);
  };

  client.on('connect', () => client.stream.on('data', () => waiting.hear()));
  // A connection that is gone says so itself, and its commands fail of themselves.
  client.on('close', () => void ([silent, refused] = [false, false]));
  const beat = setInterval(() => {
    if (client.status !== 'ready') return;
    if (silent) probe();
    else client.ping().then(accept, refuse);
  }, BEAT_MS);
  beat.unref();
  client.once('end', () => clearInterval(beat));
  return () => silent || refused;
}
