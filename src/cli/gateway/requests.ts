import { type Command, Option } from 'commander';
import type { ActionName, ActionRequest, ActionValue } from '../../admin/api/action-table.ts';
import { requestReport, requestsReport } from '../../workbench/explain/report/requests-report.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { addListenerOptions, findListener } from '../input/operator-listener.ts';
import { printReport } from '../output/print-report.ts';
import { askGateway } from './operator-api-client.ts';

type Options = {
  readonly id?: string;
  readonly since?: string;
  readonly status?: string;
  readonly operation?: string;
  readonly limit?: string;
  readonly gateway?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
};

/** `portico requests`: what a running gateway keeps of requests that failed or were slow. Exit code 1 where it refuses. */
async function runRequests(options: Options, configFile: string, context: CliContext): Promise<void> {
  const { id, since, status, operation, limit, gateway: address, tokenFile, json } = options;
  const listener = findListener({ address, tokenFile }, configFile, context);
  const reached = { gateway: listener.address, token: listener.token };

  async function ask<Name extends ActionName>(
    name: Name,
    input: ActionRequest<Name>,
  ): Promise<ActionValue<Name>> {
    const result = await askGateway(name, { ...input }, reached, context);
    if (result.kind === 'done') return result.value as ActionValue<Name>;
    const { reason, hint, code } = result.problem;
    context.err(`portico: ${reason}\n${hint === '' ? '' : `    hint: ${hint}\n`}`);
    throw new ExitError(code === 'unavailable' ? exitCodes.unavailable : exitCodes.failure);
  }

  const report =
    id === undefined
      ? requestsReport(await ask('requests', { since, status, operation, limit }))
      : requestReport(await ask('request', { id }));
  printReport(report, json, context);
}

/** Adds `portico requests` to the command line. */
export function registerRequestsCommand(
  program: Command,
  configFile: () => string,
  context: CliContext,
): void {
  const command = program
    .command('requests')
    .description('show which requests to a running gateway failed or were slow, and where their time went')
    .option('--id <id>', 'one of them, by its X-Request-Id or the id of its trace: steps, cause, plan')
    .option('--since <time>', 'a span such as 2h, or an instant; default: all that is kept')
    .option('--status <status>', 'a status such as 504, a class such as 5xx, or slow')
    .option('--operation <name>', 'such as users.list')
    .addOption(new Option('--limit <count>', 'how many, the newest first').default('100'));
  addListenerOptions(command)
    .option('--json', 'answer in JSON')
    .action((options: Options) => runRequests(options, configFile(), context));
}
