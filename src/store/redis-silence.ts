import type { Redis } from 'ioredis';

/** How a connection that falls silent is noticed and told. */
export type SilenceWatch = {
  /** Commands have been waiting for too long; every other one fails at once from now on. */
  readonly silent: (problem: Error) => void;
  /** It answers again. */
  readonly heard: () => void;
};

/** How often a connection that nobody uses is asked whether it still answers. */
const BEAT_MS = 250;
/** How often one that has fallen silent is. */
const PROBE_MS = 50;

/** ioredis' words for a command that has taken longer than `commandTimeout`. */
const TIMED_OUT = 'Command timed out';

type Command = Parameters<Redis['sendCommand']>[0];

/**
 * Makes commands fail at once while a connection stands but does not answer: as soon as one has timed out, those that
 * wait behind it and those that come after it fail too, until a PING is answered. Without it each stage of a request
 * would wait for the timeout anew. Returns whether the connection is silent at the moment.
 */
export function failWhileSilent(client: Redis, watch: SilenceWatch): () => boolean {
  const send = client.sendCommand.bind(client);
  const waiting = new Set<Command>();
  let [silent, suspected, probing, used] = [false, false, false, false];
  let chunksHeard = 0;

  function fail(command: Command): void {
    command.reject(new Error('Redis does not answer'));
  }

  function fallSilent(): void {
    silent = true;
    watch.silent(new Error('it does not answer'));
    for (const command of waiting) fail(command);
    waiting.clear();
    probe();
  }

  /** Timers come before what has arrived: where this process itself was late, the answer is read in the same turn. */
  function suspect(): void {
    if (silent || suspected) return;
    suspected = true;
    const heardBefore = chunksHeard;
    setImmediate(() => {
      suspected = false;
      if (client.status === 'ready' && chunksHeard === heardBefore) fallSilent();
    });
  }

  function probe(): void {
    if (!silent) return;
    setTimeout(probe, PROBE_MS).unref();
    probing = true;
    client.ping().then(hear, () => undefined);
    probing = false;
  }

  function hear(): void {
    if (!silent) return;
    silent = false;
    watch.heard();
  }

  client.sendCommand = function sendUnlessSilent(command, stream) {
    if (client.status !== 'ready' || probing) return send(command, stream);
    if (silent) {
      fail(command);
      return command.promise;
    }
    used = true;
    waiting.add(command);
    command.promise.then(
      () => waiting.delete(command),
      (error: unknown) => {
        waiting.delete(command);
        if (error instanceof Error && error.message === TIMED_OUT) suspect();
      },
    );
    return send(command, stream);
  };

  client.on('connect', () => client.stream.on('data', () => void (chunksHeard += 1)));
  // A connection that is gone says so itself, and its commands fail of themselves.
  client.on('close', () => void (silent = false));
  const beat = setInterval(() => {
    if (client.status === 'ready' && !silent && !used) client.ping().catch(() => undefined);
    used = false;
  }, BEAT_MS);
  beat.unref();
  client.once('end', () => clearInterval(beat));
  return () => silent;
}
