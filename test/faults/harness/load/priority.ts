import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets a process, and what it starts from now on, come before whatever else the machine does, where that is allowed:
 * only root may. Linux shares the processors among sessions first, and a gateway has one of its own (sched(7), autogroup).
 */
export function comeFirst(pid: number): void {
  try {
    setPriority(pid, -15);
    writeFileSync(`/proc/${String(pid)}/autogroup`, '-15');
  } catch {
    // Then what is measured shares the machine.
  }
}
