// `portico status`: says what is wrong with a running gateway, for operators and for scripts.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type GatewayStatus,
  oneIncidentLines,
  severityOf,
  incidentListLines,
} from '../../workbench/explain/report/incident-report.ts';
import { type CliContext, type CommandLine, ExitError } from '../context/context.ts';
import { addListenerOptions } from '../input/operator-listener.ts';
import { askListener, type GatewayOptions } from './operator-api-client.ts';

type Options = GatewayOptions & { readonly id?: string; readonly watch?: boolean };

const WATCH_MS = 2_000;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

const HELP = `
Exit codes: 0 nothing is wrong, 1 a warning, 2 something is critical;
64 wrong usage, 69 no answer.`;

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

function print(status: GatewayStatus, { json, watch }: Options, { out, terminals }: CliContext): void {
  if (json === true) {
    out(`${JSON.stringify(status, null, watch === true ? 0 : 2)}\n`);
    return;
  }
  if (watch === true) terminals?.out?.stream.write(CLEAR);
  out(textOf(incidentListLines(status)));
}

/** Ends the command with an exit code that says how bad it is. */
function endWith(severity: 0 | 1 | 2): void {
  if (severity > 0) throw new ExitError(severity);
}

/** `portico status`: what is wrong with a running gateway. The exit code says how bad it is. */
async function runStatus(options: Options, configFile: string, context: CliContext): Promise<void> {
  const ask = askListener(options, configFile, context);
  if (options.id !== undefined) {
    const answer = await ask('incident', { id: options.id });
    context.out(
      options.json === true ? `${JSON.stringify(answer, null, 2)}\n` : textOf(oneIncidentLines(answer)),
    );
    endWith(severityOf([answer.incident]));
    return;
  }
  for (;;) {
    const status = await ask('incidents', {});
    print(status, options, context);
    const isStopped = () => sleep(WATCH_MS, false, { signal: context.stop }).catch(() => true);
    if (options.watch === true && !(await isStopped())) continue;
    endWith(severityOf(status.incidents, status.others));
    return;
  }
}

/** Adds `portico status` to the command line. */
export function registerStatusCommand({ program, configFile, context }: CommandLine): void {
  const command = program
    .command('status')
    .description(
      'show what is wrong with a running gateway: cause, since when, who, what changed, what to do',
    )
    .option('--id <id>', 'one incident, by its id')
    .option('--watch', 'show it anew every two seconds, until the command is ended');
  addListenerOptions(command)
    .addHelpText('after', HELP)
    .action((options: Options) => runStatus(options, configFile(), context));
}
