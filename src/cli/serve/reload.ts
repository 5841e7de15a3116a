import { Option } from 'commander';
import { parseDuration } from '../../kernel/duration.ts';
import type { ReloadOutcome } from '../../gateway/reload/reload-outcome.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import {
  addListenerOptions,
  findListener,
  type OperatorListener,
  TOKEN_VARIABLE,
} from '../input/operator-listener.ts';
import { problemIn } from '../gateway/operator-api-client.ts';
import { reloadReport } from './reload-report.ts';
import { printReport } from '../output/print-report.ts';

type Options = {
  readonly gateway?: string;
  readonly tokenFile?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly wait: string;
  readonly reason?: string;
  readonly json?: boolean;
};

/** A gateway checks its files first, which takes a while on a busy machine. */
const CHECK_MS = 120_000;

async function ask(
  { address, token }: OperatorListener,
  options: Options,
  context: CliContext,
): Promise<Response> {
  const { wait, dryRun = false, force = false, reason } = options;
  const query = new URLSearchParams({
    wait,
    dryRun: String(dryRun),
    force: String(force),
    ...(reason !== undefined && { reason }),
  });
  const waitMs = CHECK_MS + (parseDuration(wait) ?? 0);
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(waitMs)]);
  const headers = new Headers(token === undefined ? {} : { Authorization: `Bearer ${token}` });
  try {
    const url = `${address}/api/config/reload?${query.toString()}`;
    return await fetch(url, { method: 'POST', headers, signal, redirect: 'error' });
  } catch {
    const message = `no answer from the operator's listener at ${address}: is the gateway running? --gateway names another address`;
    throw new ExitError(exitCodes.unavailable, message);
  }
}

/**
 * `portico reload`: has a running gateway put its changed files in force. Exit code 78 if they are refused, 1 if
 * some process has not said in time that it serves them, or the gateway refuses the token.
 */
async function runReload(options: Options, configFile: string, context: CliContext): Promise<void> {
  const answer = await ask(
    findListener({ address: options.gateway, tokenFile: options.tokenFile }, configFile, context),
    options,
    context,
  );
  const body: unknown = await answer.json().catch(() => undefined);
  if (![200, 202, 422].includes(answer.status)) {
    const { code, reason, hint } = problemIn(body, answer);
    const advice = answer.status === 401 ? `; or set ${TOKEN_VARIABLE}` : '';
    const exitCode = code === 'unavailable' ? exitCodes.unavailable : exitCodes.failure;
    throw new ExitError(exitCode, `${reason}${hint === '' ? '' : `: ${hint}`}${advice}`);
  }
  const outcome = body as ReloadOutcome;
  printReport(reloadReport(outcome), options.json, context);
  if (outcome.kind === 'refused') throw new ExitError(exitCodes.config);
  if (outcome.waitingFor > 0) throw new ExitError(exitCodes.failure);
}

/** Adds `portico reload` to the command line. */
export function registerReloadCommand({ program, configFile, context }: CommandLine): void {
  const command = program
    .command('reload')
    .description('have a running gateway put its changed files in force, without a restart')
    .option('--dry-run', 'only check the files, and say what would become different')
    .option(
      '--force',
      'change the contract of a resource, or end its migration, even while it moves to another source',
    )
    .addOption(
      new Option('--wait <time>', 'how long to wait until every process serves the new files').default('5s'),
    )
    .option('--reason <text>', 'why, for the audit');
  addListenerOptions(command, '--admin, --gateway <url>').action((options: Options) =>
    runReload(options, configFile(), context),
  );
}
