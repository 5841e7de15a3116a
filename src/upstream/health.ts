import type { SourceSpec } from '../config/schema/source.ts';
import type { Host, Hosts } from './hosts.ts';
import type { Transport } from './transport/transport.ts';

/** Looks after the hosts of a source from time to time; nothing where its file does not ask for it. */
export function watchHealth(
  { health, headers }: SourceSpec['net'],
  hosts: Hosts,
  transport: Transport,
): { close(): void } {
  if (health === undefined) return { close: () => undefined };
  const { path, interval, timeout, failures: failuresMax } = health;
  const failures = new Map<Host, number>();
  const closing = new AbortController();

  async function isSound({ base }: Host): Promise<boolean> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeout)]);
    const request = { method: 'GET', url: base + path, headers, body: undefined, signal } as const;
    return transport.send(request).then(
      ({ status }) => status >= 200 && status < 300,
      () => false,
    );
  }

  async function look(host: Host): Promise<void> {
    const count = (await isSound(host)) ? 0 : (failures.get(host) ?? 0) + 1;
    if (closing.signal.aborted) return;
    failures.set(host, count);
    if (count === 0) hosts.check(host, true);
    else if (count >= failuresMax) hosts.check(host, false);
  }

  let looking = false;
  async function lookAround(): Promise<void> {
    // An interval that is shorter than an answer takes must not pile checks up.
    if (looking) return;
    looking = true;
    await Promise.all(hosts.all.map(look));
    looking = false;
  }

  const timer = setInterval(() => void lookAround(), interval).unref();
  void lookAround();
  return {
    close() {
      clearInterval(timer);
      closing.abort();
    },
  };
}
