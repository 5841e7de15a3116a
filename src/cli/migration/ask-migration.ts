// Sends the request of a `portico migration` command to the running gateway.

import type { Command } from 'commander';
import type { ActionProblem } from '../../admin/api/action.ts';
import {
  type ActionName,
  type ActionRequest,
  actionSpecs,
  type ActionValue,
} from '../../admin/api/action-table.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { addListenerOptions, findListener } from '../input/operator-listener.ts';
import { askGateway } from '../gateway/operator-api-client.ts';

/** The options that every command on a migration has. */
export type AskOptions = { readonly gateway?: string; readonly tokenFile?: string; readonly json?: boolean };

/** Asks the running gateway. @throws ExitError, once it has printed what is wrong */
export type AskMigration = <Name extends ActionName>(
  name: Name,
  input: ActionRequest<Name>,
) => Promise<ActionValue<Name>>;

/** The exit code of a command for each kind of problem. */
const CODES: Readonly<Record<ActionProblem['code'], number>> = {
  bad_input: exitCodes.usage,
  unauthenticated: exitCodes.failure,
  forbidden: exitCodes.failure,
  not_found: exitCodes.config,
  conflict: exitCodes.failure,
  gate: exitCodes.failure,
  too_many: exitCodes.unavailable,
  failed: exitCodes.failure,
  unavailable: exitCodes.unavailable,
};

/** Prints a problem and ends the command. With `--json` the problem is also printed to standard output. */
function endWith(problem: ActionProblem, { json }: AskOptions, context: CliContext): never {
  if (json === true) context.out(`${JSON.stringify({ error: problem })}\n`);
  context.err(`portico: ${problem.reason}\n${problem.hint === '' ? '' : `    hint: ${problem.hint}\n`}`);
  throw new ExitError(CODES[problem.code]);
}

/** Adds the options by which a command reaches the gateway. */
export function addAskOptions(command: Command): Command {
  return addListenerOptions(command).option('--json', 'answer in JSON');
}

/** Makes the function that asks the gateway of a command line. */
export function compileAskMigration(
  options: AskOptions,
  configFile: string,
  context: CliContext,
): AskMigration {
  const { gateway: address, tokenFile } = options;
  const listener = findListener({ address, tokenFile }, configFile, context);
  return async function ask(name, request) {
    const input = actionSpecs[name].input.safeParse(request);
    if (!input.success) {
      const [issue] = input.error.issues;
      const reason = `${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'wrong'}`;
      return endWith(
        { code: 'bad_input', reason, hint: '--help shows what the command takes' },
        options,
        context,
      );
    }
    const reached = { gateway: listener.address, token: listener.token };
    const result = await askGateway(name, request, reached, context);
    return result.kind === 'done' ? (result.value as never) : endWith(result.problem, options, context);
  };
}
