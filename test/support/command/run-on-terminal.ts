import { aloneProcess } from './single-process.ts';
import { watch } from '../secret-markers/marker-watch.ts';
import { runCli } from '../../../src/cli/program.ts';

/** What the terminal has, and the variables of the command. */
type TerminalSetup = {
  readonly columns?: number;
  readonly hasColours?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** What somebody at the terminal types, question by question. */
  readonly answers?: readonly string[];
};

/** Runs a command whose output and errors go to one terminal, and returns its exit code and all that was written to it. */
export async function runOnTerminal(
  args: readonly string[],
  { columns = 80, hasColours = false, env = {}, answers = [] }: TerminalSetup = {},
): Promise<{ readonly code: number; readonly written: string }> {
  let written = '';
  const look = watch.of('command', `portico ${args.join(' ')}`);
  const write = (text: string) => {
    look(text);
    written += text;
    return true;
  };
  const typed = answers.values();
  const ask = (question: string) => {
    write(question);
    const { value, done } = typed.next();
    return done === true ? Promise.reject(new Error(`nobody answers: ${question}`)) : Promise.resolve(value);
  };
  const terminal = { stream: { isTTY: true, columns, rows: 24, write }, hasColours };
  const code = await runCli(args, {
    env,
    nodeVersion: process.version,
    out: write,
    err: write,
    terminals: { out: terminal, err: terminal },
    ask,
    openLog: () => ({ write }),
    processes: aloneProcess,
    stop: new AbortController().signal,
  });
  return { code, written };
}
