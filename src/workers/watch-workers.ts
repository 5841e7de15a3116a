import type { Logger } from 'pino';
import type { Supervisor } from './supervisor.ts';

const ASK_EVERY_MS = 5_000;
/** A worker that says nothing for so long hangs. */
const SILENT_MS_MAX = 30_000;

/** Ends workers that serve but do not answer any more, so that others take their place. The answer ends the watch. */
export function watchWorkers(
  supervisor: Pick<Supervisor, 'workers'>,
  log: Pick<Logger, 'error'>,
  { everyMs, silentMs } = { everyMs: ASK_EVERY_MS, silentMs: SILENT_MS_MAX },
): () => void {
  const phaseOf = (id: number) => supervisor.workers.find(({ link }) => link.process.id === id)?.phase;
  const timer = setInterval(() => {
    for (const { link, phase } of supervisor.workers) {
      if (phase !== 'serving') continue;
      link.ask({ about: 'state' }, silentMs).catch(() => {
        if (phaseOf(link.process.id) !== 'serving') return;
        log.error({ worker: link.process.pid }, 'a worker hangs: it is ended by force');
        link.process.kill();
      });
    }
  }, everyMs);
  return () => clearInterval(timer);
}
