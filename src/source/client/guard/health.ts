import type { SourceSpec } from '../../../config/schema/source.ts';
import type { Host, Hosts } from '../../resilience/hosts.ts';
import { createTransport } from '../transport/transport.ts';

/** Checks the health of a source's hosts at an interval, if the source file has `net.health`. An unhealthy one gets no calls. */
export function watchHealth(net: SourceSpec['net'], hosts: Hosts): { close(): void } {
  if (net.health === undefined) return { close: () => undefined };
  const { path, interval, timeout, failures: failuresMax } = net.health;
  const transport = createTransport(net);
  const failures = new Map<Host, number>();
  const closing = new AbortController();
  let isChecking = false;

  function isHealthy({ base }: Host): Promise<boolean> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeout)]);
    return transport
      .send({ method: 'GET', url: base + path, headers: net.headers, body: undefined, signal })
      .then(
        ({ status }) => status >= 200 && status < 300,
        () => false,
      );
  }

  async function check(host: Host): Promise<void> {
    const count = (await isHealthy(host)) ? 0 : (failures.get(host) ?? 0) + 1;
    if (closing.signal.aborted) return;
    failures.set(host, count);
    if (count === 0) hosts.reportHealth(host, true);
    else if (count >= failuresMax) hosts.reportHealth(host, false);
  }

  async function checkAll(): Promise<void> {
    // Checks must not pile up if a host answers more slowly than the interval.
    if (isChecking) return;
    isChecking = true;
    await Promise.all(hosts.all.map(check));
    isChecking = false;
  }

  const timer = setInterval(() => void checkAll(), interval).unref();
  void checkAll();
  return {
    close() {
      clearInterval(timer);
      closing.abort();
      transport.close();
    },
  };
}
