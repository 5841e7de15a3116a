import type { Redis } from 'ioredis';

/** Who is told of a connection that stands and is of no use. */
export type SilenceWatch = {
  /** It does not answer, or Redis says that it cannot serve. */
  readonly silent: (problem: Error) => void;
  /** It serves again. */
  readonly heard: () => void;
};

/** How often a connection is asked whether it still answers; nobody else may use it. */
const BEAT_MS = 250;
/** How often one that has fallen silent is. */
const PROBE_MS = 50;
/** The part of the command timeout after which nothing heard is silence: what is left is for those who have waited. */
const PATIENCE = 0.8;

/** ioredis' words for a command that has taken longer than `commandTimeout`. */
const TIMED_OUT = 'Command timed out';

/** What Redis says to a PING while it cannot serve, or not fully (redis.io/docs/latest/commands/ping). */
const REFUSAL = /^(?:LOADING|MASTERDOWN|MISCONF|NOAUTH|CLUSTERDOWN|BUSY)\b/;

type Command = Parameters<Redis['sendCommand']>[0];

/** Whether an error is one that Redis has answered. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** The commands that wait for an answer, and whether anything was heard since the oldest was sent. */
function createQueue(patienceMs: number, onSilence: () => void) {
  const waiting = new Map<Command, number>();
  let heardAt = 0;
  let armed = false;

  function arm(ms: number): void {
    armed = true;
    setTimeout(look, ms).unref();
  }

  function look(): void {
    armed = false;
    const [oldest] = waiting.values();
    if (oldest === undefined) return;
    const left = Math.max(oldest, heardAt) + patienceMs - performance.now();
    if (left < 1) onSilence();
    else arm(left);
  }

  return {
    add(command: Command): void {
      waiting.set(command, performance.now());
      if (!armed) arm(patienceMs);
    },
    remove: (command: Command) => waiting.delete(command),
    hear: () => void (heardAt = performance.now()),
    heardAt: () => heardAt,
    takeAll(): readonly Command[] {
      const all = [...waiting.keys()];
      waiting.clear();
      return all;
    },
  };
}

/**
 * Makes commands fail at once while a connection stands but does not answer: those that wait, and those that come until
 * a PING is answered. Without it each stage of a request would wait for the command timeout (milliseconds) anew. Returns
 * whether the connection is of no use at the moment: commands are sent on where Redis refuses a PING, because it may
 * refuse some of them only.
 */
export function failWhileSilent(client: Redis, timeoutMs: number, watch: SilenceWatch): () => boolean {
  const send = client.sendCommand.bind(client);
  const queue = createQueue(timeoutMs * PATIENCE, suspect);
  let [silent, refused, suspected, probing] = [false, false, false, false];

  function fail(command: Command): void {
    command.reject(new Error('Redis does not answer'));
  }

  function fallSilent(): void {
    silent = true;
    watch.silent(new Error('it does not answer'));
    for (const command of queue.takeAll()) fail(command);
    probe();
  }

  /** Timers come before what has arrived: where this process itself was late, the answer is read in the same turn. */
  function suspect(): void {
    if (silent || suspected) return;
    suspected = true;
    const heardBefore = queue.heardAt();
    setImmediate(() => {
      suspected = false;
      if (client.status === 'ready' && queue.heardAt() === heardBefore) fallSilent();
    });
  }

  function probe(): void {
    if (!silent) return;
    setTimeout(probe, PROBE_MS).unref();
    probing = true;
    client.ping().then(hear, (error: unknown) => isReply(error) && hear());
    probing = false;
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
    if (client.status !== 'ready' || probing) return send(command, stream);
    if (silent) {
      fail(command);
      return command.promise;
    }
    queue.add(command);
    command.promise.then(
      () => queue.remove(command),
      (error: unknown) => {
        queue.remove(command);
        if (error instanceof Error && error.message === TIMED_OUT) suspect();
      },
    );
    return send(command, stream);
  };

  client.on('connect', () => client.stream.on('data', queue.hear));
  // A connection that is gone says so itself, and its commands fail of themselves.
  client.on('close', () => void ([silent, refused] = [false, false]));
  const beat = setInterval(() => {
    if (client.status === 'ready' && !silent) client.ping().then(accept, refuse);
  }, BEAT_MS);
  beat.unref();
  client.once('end', () => clearInterval(beat));
  return () => silent || refused;
}
