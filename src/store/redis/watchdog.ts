import { Command, type Redis } from 'ioredis';
import { createPendingCommands, type RedisCommand } from './pending-commands.ts';

/** Learns how a connection is. */
export type ConnectionListener = {
  /** The connection has failed or was closed, or Redis does not answer or says that it cannot serve. */
  readonly onLost: (problem: unknown) => void;
  /** Something has come up or serves again: perhaps the connection is ready now. */
  readonly onChange: () => void;
  /** Redis has answered a command with an error. */
  readonly onRefused: (error: Error) => void;
};

/** How often Redis is asked by PING, on a connection that nobody else may use. */
const PING_EVERY_MS = 250;
/** After this part of the command timeout without an answer, Redis is silent; the rest is left to those who waited. */
const SILENT_PART = 0.75;
/** A connection that is silent for so long, and no command may take longer, is dropped and made anew. */
const SILENCE_MS_MAX = 1_000;

/** What Redis answers to a PING while it cannot serve, or not fully (redis.io/docs/latest/commands/ping). */
const REFUSAL = /^(?:LOADING|MASTERDOWN|MISCONF|NOAUTH|CLUSTERDOWN|BUSY)\b/;

/** What the last PING has shown. `refusing`: commands are sent nevertheless, because Redis may refuse only some. */
type State = 'answering' | 'refusing' | 'silent';

function fail(command: RedisCommand): void {
  command.reject(new Error('Redis does not answer'));
}

/**
 * A watchdog for a connection. It fails each command that waits for longer than the command timeout (milliseconds).
 * While Redis is silent, it fails all commands at once, until a PING is answered: without it, each stage of a request
 * would wait for the command timeout anew. ioredis' own timeouts are not used, because they take a halt of this process
 * for one of Redis. Returns the function that says whether the connection is usable.
 */
export function attachWatchdog(
  client: Redis,
  timeoutMs: number,
  listener: ConnectionListener,
): () => boolean {
  const send = client.sendCommand.bind(client);
  const pending = createPendingCommands({ timeoutMs, onQuiet, onError: onCommandError });
  let state: State = 'answering';

  function setState(next: State, problem?: Error): void {
    if (state === next) return;
    state = next;
    if (problem === undefined) listener.onChange();
    else listener.onLost(problem);
  }

  function onAnswer(): void {
    setState('answering');
  }

  /** Other errors are not answers of Redis: the command has timed out, or the connection has failed. */
  const isReply = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

  function onCommandError(error: Error): void {
    if (isReply(error)) listener.onRefused(error);
  }

  function onError(error: unknown): void {
    if (!isReply(error)) return;
    if (REFUSAL.test(error.message)) setState('refusing', error);
    else setState('answering');
  }

  function onQuiet(quietMs: number): boolean {
    const isUp = client.status === 'ready' || client.status === 'connect';
    if (isUp && quietMs >= Math.max(SILENCE_MS_MAX, timeoutMs))
      client.stream.destroy(new Error('no data arrived for too long'));
    else if (client.status === 'ready' && quietMs >= timeoutMs * SILENT_PART && state !== 'silent') suspect();
    return state === 'silent';
  }

  /** Reads first what has arrived by now. */
  function suspect(): void {
    const answersBefore = pending.answers();
    setImmediate(() => {
      if (client.status !== 'ready' || state === 'silent' || pending.answers() !== answersBefore) return;
      setState('silent', new Error('it does not answer'));
      for (const command of pending.takeAll()) fail(command);
      probe();
    });
  }

  /** A PING past the pending commands. It is repeated, because a silent Redis may have lost the one before. */
  function probe(): void {
    const ping = new Command('ping', []);
    void send(ping);
    ping.promise.then(onAnswer, onError);
  }

  client.sendCommand = function sendUnlessSilent(command, stream) {
    if (client.status === 'ready' && state === 'silent') {
      fail(command);
      return command.promise;
    }
    pending.add(command);
    return send(command, stream);
  };

  client.on('connect', () => client.stream.on('data', () => pending.onData()));
  // A closed connection is reported elsewhere, and its commands fail by themselves.
  client.on('close', () => (state = 'answering'));
  const timer = setInterval(() => {
    if (client.status !== 'ready') return;
    if (state === 'silent') probe();
    else client.ping().then(onAnswer, onError);
  }, PING_EVERY_MS).unref();
  client.once('end', () => clearInterval(timer));
  return () => state === 'answering';
}
