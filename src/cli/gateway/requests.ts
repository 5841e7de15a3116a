// `portico requests`: shows the requests of a running gateway that failed or were slow, or one of them with its timings.

import { Option } from 'commander';
import type { ActionRequest } from '../../admin/api/action-table.ts';
import { isPartial, requestReport, requestsReport } from '../../workbench/explain/report/requests-report.ts';
import type { CommandLine } from '../context/context.ts';
import { addAskingAction, type AskOperator, type GatewayOptions } from './operator-api-client.ts';

type Options = GatewayOptions & ActionRequest<'requests'> & { readonly id?: string };

/** `portico requests`: shows the requests that failed or were slow. Exit code 1 if the gateway refuses. */
async function runRequests(ask: AskOperator, { id, limit, ...filter }: Options) {
  if (id !== undefined) return requestReport(await ask('request', { id }));
  const { since, until, status, operation, caller, code, source } = filter;
  const asked = { since, until, status, operation, caller, code, source, limit };
  const listed = await ask('requests', asked);
  // Only incidents have exact counts then.
  const { incidents } = isPartial(listed, Number(limit)) ? await ask('incidents', {}) : {};
  return requestsReport(listed, Number(limit), incidents);
}

/** Adds `portico requests` to the command line. */
export function registerRequestsCommand(line: CommandLine): void {
  const command = line.program
    .command('requests')
    .description('show which requests to a running gateway failed or were slow, and where their time went')
    .option('--id <id>', 'one of them, by its X-Request-Id or the id of its trace: steps, cause, plan')
    .option('--since <time>', 'a span such as 2h, or an instant; default: all that is kept')
    .option('--until <time>', 'the same; default: now')
    .option('--status <status>', 'a status such as 504, a class such as 5xx, or slow')
    .option('--operation <name>', 'such as users.list')
    .option('--caller <id>', 'the id of a key, or the name of a token, as `portico callers` has it')
    .option('--code <code>', 'an error code, such as upstream_timeout')
    .option('--source <name>', 'the source that failed')
    .addOption(new Option('--limit <count>', 'how many, the newest first').default('100'));
  addAskingAction(command, line, (ask, _args, options: Options) => runRequests(ask, options));
}
