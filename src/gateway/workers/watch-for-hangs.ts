import type { Logger } from 'pino';
import type { Supervisor } from './supervisor.ts';

const POLL_MS = 5_000;
/** A worker that has not answered for this time counts as hanging. */
const SILENT_MS_MAX = 30_000;

/** Kills serving workers that no longer answer, so that they are replaced. Returns the function that stops this watchdog. */
export function watchForHangs(
  supervisor: Pick<Supervisor, 'workers'>,
  log: Pick<Logger, 'error'>,
): () => void {
  const phaseOf = (id: number) => supervisor.workers.find(({ link }) => link.process.id === id)?.phase;
  const timer = setInterval(() => {
    for (const { link, phase } of supervisor.workers) {
      if (phase !== 'serving') continue;
      link.ask({ about: 'state' }, SILENT_MS_MAX).catch(() => {
        if (phaseOf(link.process.id) !== 'serving') return;
        log.error({ worker: link.process.pid }, 'a worker hangs: it is killed');
        link.process.kill();
      });
    }
  }, POLL_MS);
  return () => clearInterval(timer);
}
