import { aloneProcess } from './single-process.ts';
import { watch } from '../secret-markers/marker-watch.ts';
import { runCli } from '../../../src/cli/program.ts';

/** How a command ended, and what it wrote. */
export type CliRun = { readonly code: number; readonly out: string; readonly err: string };

/** Runs a command of `portico` in this process, with exactly these variables; `stop` is what Ctrl-C aborts. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stop = new AbortController().signal,
): Promise<CliRun> {
  let [out, err] = ['', ''];
  const look = watch.of('command', `portico ${args.join(' ')}`);
  const code = await runCli(args, {
    env,
    nodeVersion: process.version,
    out(text) {
      look(text);
      out += text;
    },
    err(text) {
      look(text);
      err += text;
    },
    openLog: () => ({
      write(line) {
        look(line);
        out += line;
      },
    }),
    processes: aloneProcess,
    stop,
  });
  return { code, out, err };
}
