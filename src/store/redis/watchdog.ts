// Notices within a second that Redis has stopped answering, and then fails commands at once instead of after a timeout each.

import { Command, type Redis } from 'ioredis';
import { createPendingCommands, type RedisCommand } from './pending-commands.ts';

/** Is told about changes of a connection. */
export type ConnectionListener = {
  /** The connection has failed or was closed, or Redis does not answer, or Redis says that it cannot serve. */
  readonly onLost: (problem: unknown) => void;
  /** The connection or a node has come up or serves again, so the connection may be ready now. */
  readonly onChange: () => void;
  /** Redis has answered a command with an error. */
  readonly onRefused: (error: Error) => void;
};

/** How often a PING is sent; without it, a connection that nobody uses would show nothing. */
const PING_EVERY_MS = 250;
/** After this part of the command timeout without an answer, Redis counts as silent; callers need the rest of the time. */
const SILENT_PART = 0.75;
/** A connection that is silent for this time, and for the command timeout, is dropped and opened again. */
const SILENCE_MS_MAX = 1_000;

/** The errors with which Redis answers a PING while it cannot serve, or not fully (redis.io/docs/latest/commands/ping). */
const REFUSAL = /^(?:LOADING|MASTERDOWN|MISCONF|NOAUTH|CLUSTERDOWN|BUSY)\b/;

/** What the last PING has shown. While `refusing`, commands are still sent, because Redis may refuse only some of them. */
type State = 'answering' | 'refusing' | 'silent';

function fail(command: RedisCommand): void {
  command.reject(new Error('Redis does not answer'));
}

/**
 * Attaches a watchdog to a connection. It fails each command that waits longer than `timeoutMs`, the command timeout. While
 * Redis is silent, it fails all commands at once, until a PING is answered; otherwise each stage of a request would wait for
 * the command timeout again. ioredis' own timeouts are not used, because they mistake a halt of this process for a halt of
 * Redis. Returns a function that says whether the connection is usable.
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

  /** Whether an error is an answer of Redis; other errors are timeouts of commands or failures of the connection. */
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

  /** Declares Redis silent, unless data has arrived that this process has not read yet. */
  function suspect(): void {
    const answersBefore = pending.answers();
    setImmediate(() => {
      if (client.status !== 'ready' || state === 'silent' || pending.answers() !== answersBefore) return;
      setState('silent', new Error('it does not answer'));
      for (const command of pending.takeAll()) fail(command);
      probe();
    });
  }

  /** Sends a PING that does not count as a pending command. It is repeated, because a silent Redis may have lost the last PING. */
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
  // `watchSingle` and `openCluster` report a closed connection, and its commands fail by themselves.
  client.on('close', () => (state = 'answering'));
  const timer = setInterval(() => {
    if (client.status !== 'ready') return;
    if (state === 'silent') probe();
    else client.ping().then(onAnswer, onError);
  }, PING_EVERY_MS).unref();
  client.once('end', () => clearInterval(timer));
  return () => state === 'answering';
}
