import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createCondition } from '../time/eventually.ts';
import { watch } from '../secret-markers/marker-watch.ts';
import { compileCache } from './compile-cache.ts';
import { endWithUs } from './end-with-us.ts';

/** How a process ended. */
export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A real process, leader of a process group of its own. */
export type RunningProcess = {
  readonly pid: number;
  /** Standard output so far. */
  readonly out: string;
  /** Standard error so far. */
  readonly err: string;
  /** The first match in its output, now or later; rejects if the process ends without one. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** Reads no more of its output, until told to again: its pipes fill. */
  readOutput(isRead: boolean): void;
  /** Signals this process alone. */
  signal(name: NodeJS.Signals): void;
  /** Signals its whole group, as a terminal does on Ctrl-C. */
  signalGroup(name: NodeJS.Signals): void;
  readonly ended: Promise<Ending>;
  /** Whether any process of the group is still there. */
  isGroupAlive(): boolean;
  /** Ends the whole group at once, where it is still there. For the end of a test. */
  kill(): Promise<void>;
};

/** A gateway of several workers takes its time to start on a busy machine. */
const PRINTS_WITHIN_MS = 120_000;

/** The environment of a user's shell: nothing of the test run's own settings. */
function shellEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, LANG: 'C.UTF-8', NODE_COMPILE_CACHE: compileCache() };
}

function signalTo(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name);
  } catch {
    return false;
  }
}

/** Looks at what a process says; a gateway says where it listens. */
function watchOutput(args: readonly string[]) {
  // From source, from another checkout, or compiled.
  const isGateway = args.at(-1) === 'start' && args.some((arg) => /(?:^|\/)main\.[jt]s$/.test(arg));
  const look = watch.of(isGateway ? 'gateway' : 'command', args.join(' '));
  const forget: (() => void)[] = [];
  return {
    look(text: string) {
      look(text);
      for (const [, ...ports] of text.matchAll(/"port":(\d+),"adminPort":(\d+)/g))
        forget.push(...ports.map((port) => watch.port(Number(port))));
    },
    end: () => forget.forEach((one) => one()),
  };
}

/**
 * Starts a command of this project with exactly these variables beside those of a plain shell. It never outlives this
 * process.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProcess {
  const child: ChildProcess = spawn(command, args, {
    detached: true,
    env: { ...shellEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} cannot be started`);
  endWithUs(child, { isLeader: true });
  const said = { out: '', err: '' };
  const watched = watchOutput(args);
  const changes = createCondition();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    watched.look(text);
    said.out += text;
    changes.announce();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    watched.look(text);
    said.err += text;
    changes.announce();
  });
  let isOver = false;
  // `close` comes when the output is complete too, `exit` may come before.
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    isOver = true;
    watched.end();
    changes.announce();
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });

  const prints = (pattern: RegExp) =>
    changes.until(() => {
      const match = pattern.exec(said.out) ?? pattern.exec(said.err);
      if (match === null && isOver)
        throw new Error(`${command} ended without ${String(pattern)}:\n${said.out}\n${said.err}`);
      return match;
    }, PRINTS_WITHIN_MS);

  return {
    pid,
    get out() {
      return said.out;
    },
    get err() {
      return said.err;
    },
    prints,
    readOutput(isRead) {
      for (const stream of [child.stdout, child.stderr]) {
        if (isRead) stream?.resume();
        else stream?.pause();
      }
    },
    signal: (name) => void signalTo(pid, name),
    signalGroup: (name) => void signalTo(-pid, name),
    ended,
    isGroupAlive: () => signalTo(-pid, 0),
    async kill() {
      signalTo(-pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Runs a command of this project to its end. */
export async function runProcess(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ending & { readonly out: string; readonly err: string }> {
  const running = startProcess(command, args, env);
  const ending = await running.ended;
  return { ...ending, out: running.out, err: running.err };
}
