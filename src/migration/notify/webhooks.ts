// Sends events to the webhook of a migration, signed and with retries.

import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MigrationConfig } from '../../config/schema/migration.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { codeOf } from '../../upstream/transport/network-fault.ts';
import { createTransport } from '../../upstream/transport/transport.ts';
import type { MigrationEvent } from './migration-events.ts';

/** Where events are sent. */
type Target = NonNullable<MigrationConfig['webhook']>;

/** Sends events to the webhooks of migrations. `send` returns at once, and the sending goes on in the background. */
export type Webhooks = {
  send(target: Target, event: MigrationEvent): void;
  /** Drops the events that are not sent yet. */
  close(): Promise<void>;
};

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 64 * 1024;
/** Milliseconds before each further attempt. */
const RETRIES_MS = [1_000, 5_000, 30_000];

/** The headers of Standard Webhooks. By them the receiver can check the sender, and recognise an event that comes twice. */
function signedHeaders(
  { secret }: Target,
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const text = secret.reveal();
  const key = text.startsWith('whsec_') ? Buffer.from(text.slice(6), 'base64') : Buffer.from(text);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}

/** Creates the sender. It tries each event at most four times; one that is never accepted is a warning in the log. */
export function createWebhooks({
  clock,
  log,
  wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Waits; replaced in tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}): Webhooks {
  const tasks = createBackgroundTasks();
  const net = { bytesMax: BYTES_MAX, connectTimeout: TIMEOUT_MS, headers: {}, tls: undefined };
  const transport = createTransport(net);

  /** Resolves with what went wrong; `undefined` where the receiver has accepted the event. */
  async function attempt(
    target: Target,
    id: string,
    body: string,
    closing: AbortSignal,
  ): Promise<string | undefined> {
    const headers = signedHeaders(target, id, Math.floor(clock.now() / 1_000), body);
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const { status } = await transport.send({ method: 'POST', url: target.url, headers, body, signal });
      return status >= 200 && status < 300 ? undefined : `answered with status ${status}`;
    } catch (error) {
      return codeOf(error);
    }
  }

  return {
    send(target, { type, ...data }) {
      const id = `msg_${randomUUID()}`;
      const body = JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data });
      tasks.run(async (signal) => {
        let problem = await attempt(target, id, body, signal);
        for (const ms of RETRIES_MS) {
          if (problem === undefined) return;
          await wait(ms, signal);
          problem = await attempt(target, id, body, signal);
        }
        if (problem !== undefined) log.warn({ type, ...data, problem }, 'nobody has taken a webhook');
      });
    },
    async close() {
      await tasks.close();
      transport.close();
    },
  };
}
