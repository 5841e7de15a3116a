import { Option } from 'commander';
import { requestReport, requestsReport } from '../../workbench/explain/report/requests-report.ts';
import type { CliContext, CommandLine } from '../context/context.ts';
import { addListenerOptions } from '../input/operator-listener.ts';
import { printReport } from '../output/print-report.ts';
import { askListener, type GatewayOptions } from './operator-api-client.ts';

type Options = GatewayOptions & {
  readonly id?: string;
  readonly since?: string;
  readonly status?: string;
  readonly operation?: string;
  readonly caller?: string;
  readonly code?: string;
  readonly source?: string;
  readonly limit?: string;
};

/** `portico requests`: shows the requests that failed or were slow. Exit code 1 if the gateway refuses. */
async function runRequests(options: Options, configFile: string, context: CliContext): Promise<void> {
  const { id, since, status, operation, caller, code, source, limit, json } = options;
  const ask = askListener(options, configFile, context);
  const report =
    id === undefined
      ? requestsReport(
          await ask('requests', { since, status, operation, caller, code, source, limit }),
          Number(limit),
        )
      : requestReport(await ask('request', { id }));
  printReport(report, json, context);
}

/** Adds `portico requests` to the command line. */
export function registerRequestsCommand({ program, configFile, context }: CommandLine): void {
  const command = program
    .command('requests')
    .description('show which requests to a running gateway failed or were slow, and where their time went')
    .option('--id <id>', 'one of them, by its X-Request-Id or the id of its trace: steps, cause, plan')
    .option('--since <time>', 'a span such as 2h, or an instant; default: all that is kept')
    .option('--status <status>', 'a status such as 504, a class such as 5xx, or slow')
    .option('--operation <name>', 'such as users.list')
    .option('--caller <id>', 'the id of a key, or the name of a token, as `portico callers` has it')
    .option('--code <code>', 'an error code, such as upstream_timeout')
    .option('--source <name>', 'the source that failed')
    .addOption(new Option('--limit <count>', 'how many, the newest first').default('100'));
  addListenerOptions(command).action((options: Options) => runRequests(options, configFile(), context));
}
