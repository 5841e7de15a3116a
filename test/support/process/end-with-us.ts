import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Lets the process end while a pipe to a child is open: such a pipe is a socket, though not by its type. */
export function unref(pipe: unknown): void {
  (pipe as Pick<Socket, 'unref'>).unref();
}

/**
 * Kills a child once this process is gone, also where a signal or a crash has ended it; the leader of a process group with
 * its whole group. A shell waits for the end of its standard input, which ends with this process. It uses SIGKILL because
 * a server that a test has paused hears nothing else.
 */
export function endWithUs(child: ChildProcess, { isLeader = false } = {}): void {
  const script = 'trap "" INT TERM HUP; read -r _; kill -9 "$1" 2>/dev/null';
  const target = `${isLeader ? '-' : ''}${String(child.pid)}`;
  const watcher = spawn('sh', ['-c', script, 'guard', target], { stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.unref();
  unref(watcher.stdin);
  // Not on `exit`: others of its group may live longer, and hold its output open.
  child.once('close', () => watcher.kill('SIGKILL'));
}
