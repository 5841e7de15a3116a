// Asks a running gateway to carry out actions, for all commands that work on one, and makes the exit code of a refusal.

import type { Command } from 'commander';
import {
  type ActionProblem,
  type ActionResult,
  type ActionSpec,
  problemStatus,
  takesBody,
} from '../../admin/api/action.ts';
import {
  type ActionName,
  type ActionRequest,
  actionSpecs,
  type ActionValue,
} from '../../admin/api/action-table.ts';
import { nearValueHint } from '../../config/validate/check-shape.ts';
import { plainCause } from '../../kernel/plain-cause.ts';
import { parseExact } from '../../kernel/json/json.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { addListenerOptions, findListener, ownToken, TOKEN_VARIABLE } from '../input/operator-listener.ts';
import { printReport } from '../output/print-report.ts';

/** How a command reaches a running gateway, and whether it prints JSON. */
export type GatewayOptions = {
  readonly gateway?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
  /** Present: no file and no variable is read for it. */
  readonly token?: string | undefined;
  /** How long an answer may take; 30 s if absent. */
  readonly timeoutMs?: number;
};

/** Asks for an action and returns its value. @throws ExitError with the reason and the hint, if it is refused */
export type AskOperator = <Name extends ActionName>(
  name: Name,
  input: ActionRequest<Name>,
) => Promise<ActionValue<Name>>;

/** The exit code of a command for each kind of problem; `failure` for the others. */
const EXIT_CODES: Readonly<Partial<Record<ActionProblem['code'], number>>> = {
  bad_input: exitCodes.usage,
  too_many: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
};

/** How long an answer may take. A prune or an import of many keys takes long. */
const TIMEOUT_MS = 30_000;

/** The request of an action: its path with the variable segments filled in, the rest as query or body. */
function requestOf(name: ActionName, input: Readonly<Record<string, unknown>>) {
  const spec: ActionSpec = actionSpecs[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = spec.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(rest.get(key));
    rest.delete(key);
    return encodeURIComponent(value);
  });
  const inBody = takesBody(spec);
  const query = new URLSearchParams();
  if (!inBody) for (const [key, value] of rest) query.set(key, String(value));
  return {
    method: spec.method.toUpperCase(),
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    body: inBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** Asks a running gateway to carry out an action. Never rejects. */
export async function askGateway(
  name: ActionName,
  input: Readonly<Record<string, unknown>>,
  options: GatewayOptions & { readonly gateway: string },
  { env, stop }: Pick<CliContext, 'env' | 'stop'>,
): Promise<ActionResult> {
  const { method, path, body } = requestOf(name, input);
  const url = `${options.gateway.replace(/\/+$/, '')}${path}`;
  try {
    const token = options.token ?? ownToken(options.tokenFile, env);
    const response = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)]),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const value = readJson(await response.text());
    const { answers, output }: ActionSpec = actionSpecs[name];
    const isAnswer = response.ok || Object.hasOwn(answers?.descriptions ?? {}, response.status);
    // Another server may answer in JSON, too. A gateway of another version may have other fields further down.
    const issues = output.safeParse(value).error?.issues ?? [];
    const isOther = issues.some(({ code, path }) => code === 'invalid_type' && path.length <= 1);
    if (isAnswer && !isOther) return { kind: 'done', value };
    return { kind: 'refused', problem: problemIn(value, response) };
  } catch (error) {
    const hint = 'look at --gateway, and whether the gateway runs';
    const reason = `no answer from ${url}: ${plainCause(error)}`;
    return {
      kind: 'refused',
      problem: { code: URL.canParse(url) ? 'unavailable' : 'bad_input', reason, hint },
    };
  }
}

function readJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Why an answer is not the expected one: the problem in it, or that it does not come from an operator's listener. */
function problemIn(value: unknown, { url, status, headers }: Response): ActionProblem {
  const { error } = Object(value) as { readonly error?: ActionProblem };
  // The public port uses some of these codes, too, but without a reason.
  if (error?.reason !== undefined && Object.hasOwn(problemStatus, error.code)) return error;
  const { origin } = new URL(url);
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing';
  const found = error === undefined ? type : `${error.code}, as the port for callers does`;
  return {
    code: 'unavailable',
    reason: `what answers at ${origin} is no operator's listener: HTTP ${status} with ${found}`,
    hint: "name the operator's listener, admin.host and admin.port of the configuration: --gateway http://127.0.0.1:9090",
  };
}

/** Makes the function that asks for actions: `act` carries one out here or at a gateway. */
export function createActionAsk(
  act: (name: ActionName, input: Readonly<Record<string, unknown>>) => Promise<ActionResult>,
): AskOperator {
  function refuse(name: ActionName, problem: ActionProblem): never {
    const hint =
      problem.code === 'unauthenticated' ? `set ${TOKEN_VARIABLE}, or name --token-file` : problem.hint;
    // The configuration does not declare such a migration.
    const isUndeclared = problem.code === 'not_found' && name.startsWith('migrations');
    const exitCode = isUndeclared ? exitCodes.config : (EXIT_CODES[problem.code] ?? exitCodes.failure);
    throw new ExitError(exitCode, problem.reason, hint, problem);
  }

  return async function ask(name, request) {
    const input = actionSpecs[name].input.safeParse(request);
    if (!input.success) {
      const [issue] = input.error.issues;
      const reason = `${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'wrong'}`;
      const hint = (issue && nearValueHint(issue, request)) ?? '--help shows what the command takes';
      return refuse(name, { code: 'bad_input', reason, hint });
    }
    const result = await act(name, input.data);
    // The type follows from the name of the action.
    return result.kind === 'done' ? (result.value as never) : refuse(name, result.problem);
  };
}

/**
 * Asks the gateway that a command line names, or else the one of the configuration. @throws ExitError if neither has an address
 */
export function askListener(options: GatewayOptions, configFile: string, context: CliContext): AskOperator {
  const { gateway: address, tokenFile, timeoutMs } = options;
  const { address: gateway, token } = findListener({ address, tokenFile }, configFile, context);
  return createActionAsk((name, input) =>
    askGateway(name, input, { gateway, token, ...(timeoutMs !== undefined && { timeoutMs }) }, context),
  );
}

/** What a command does with a running gateway. Its report is printed; `undefined`: it has printed all itself. */
export type AskingCommand = (
  ask: AskOperator,
  args: readonly string[],
  options: never,
) => Promise<Report | undefined>;

/** Has a command ask a running gateway, with the options that all such commands have. */
export function addAskingAction(
  command: Command,
  { configFile, context }: Pick<CommandLine, 'configFile' | 'context'>,
  run: AskingCommand,
): Command {
  return addListenerOptions(command).action(async () => {
    const options = command.optsWithGlobals<GatewayOptions>();
    const report = await run(askListener(options, configFile(), context), command.args, options as never);
    if (report !== undefined) printReport(report, options.json, context);
  });
}
