import type { Redis } from 'ioredis';
import { type RedisCommand, createPendingCommands } from './pending-commands.ts';

/** Receives the changes of an open connection between usable and unusable. */
export type WatchdogListener = {
  /** The connection does not answer, or Redis says that it cannot serve. */
  readonly silent: (problem: Error) => void;
  /** It serves again. */
  readonly heard: () => void;
};

/** The interval of the PINGs. */
const BEAT_MS = 250;
/** Silence for this part of the command timeout makes a connection silent; the rest of it is left to fail commands. */
const PATIENCE = 0.75;
/** A connection without data for this long is dropped and reopened, but never before the command timeout. */
const SILENCE_MS_MAX = 1_000;

/** The replies to a PING while Redis cannot serve, or not fully (redis.io/docs/latest/commands/ping). */
const REFUSAL = /^(?:LOADING|MASTERDOWN|MISCONF|NOAUTH|CLUSTERDOWN|BUSY)\b/;

/** Whether an error is a reply of Redis. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * A watchdog for a connection. Commands fail after the command timeout (milliseconds); while the connection is open but
 * silent, they fail at once until a PING is answered. Without it, each stage of a request would wait for the timeout
 * anew. ioredis' own timeouts are not used: they count a pause of this process as one of Redis. Returns whether the
 * connection is unusable now. If Redis refuses a PING, commands are still sent, because it may refuse only some of
 * them.
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
      client.stream.destroy(new Error('no data arrived for too long'));
    else if (client.status === 'ready' && quietMs >= timeoutMs * PATIENCE) suspect();
    return silent;
  }

  function fallSilent(): void {
    silent = true;
    watch.silent(new Error('it does not answer'));
    for (const command of waiting.takeAll()) fail(command);
    probe();
  }

  /** Pings at each beat: an earlier PING may have been lost, or answered with garbage. */
  function probe(): void {
    probing = true;
    client.ping().then(hear, (error: unknown) => isReply(error) && hear());
    probing = false;
  }

  /** Data that has already arrived is read first. */
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
  // A lost connection reports itself, and its commands fail by themselves.
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
