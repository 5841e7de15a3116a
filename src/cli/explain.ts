import type { Command } from 'commander';
import { GatewayError } from '../errors/fault.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { explainLive } from '../explain/explain-live.ts';
import { type ExplainedRequest, readExplainedRequest } from '../explain/explain-request.ts';
import { printReport } from './output/print-report.ts';
import { withProgress } from './output/progress.ts';
import { explanationReport, mistakeReport } from '../explain/report/explain-report.ts';
import { explain, type Explanation, explainMistake } from '../explain/explanation.ts';
import { maskedSource } from '../probe/session/masked-source.ts';
import type { CompiledResource } from '../pipeline/compile-sources.ts';
import { usageError } from './input/choose-source.ts';
import { explainPassthrough } from '../explain/explain-passthrough.ts';
import { passthroughReport } from '../explain/report/passthrough-report.ts';
import { readLiveOrExit, readPartialConfigOrExit, type ReadyConfig } from './input/read-config.ts';
import { displayLive, type DisplayedLive } from '../explain/display-live.ts';

type Options = { readonly live?: boolean; readonly values?: boolean; readonly json?: boolean };

function requestOrExit(request: string, { gateway }: ReadyConfig, context: CliContext): ExplainedRequest {
  const asked = readExplainedRequest(request, gateway);
  if (typeof asked === 'string') throw usageError(context, asked);
  return asked;
}

function sourceOf({ operation }: ExplainedRequest, { compiled }: ReadyConfig): CompiledResource {
  const found = compiled.find(({ resource }) => resource === operation.resource);
  if (found === undefined) throw new Error(`${operation.resource.name} has no source`);
  return found;
}

/** Whether the live answer is one that a client could use; `not_found` is one, too. */
function isUsable({ answer }: DisplayedLive): boolean {
  return answer.status === 200 || answer.code === 'not_found';
}

/**
 * `portico explain`: what becomes of a request, without asking the source, or with `--live` by asking it. Exit code
 * 64 where the request is to no operation, 1 where the live answer is an error.
 */
async function runExplain(
  request: string,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const ready = readPartialConfigOrExit(configFile, context, { gateway: false });
  const passed = explainPassthrough(request, ready.gateway);
  if (passed !== undefined) {
    if (options.live === true)
      throw usageError(context, '--live asks a source; a pass-through route has none');
    printReport(passthroughReport(passed), options.json, context);
    return;
  }
  const asked = requestOrExit(request, ready, context);
  const { gateway } = ready;
  const { query } = asked;
  if (query instanceof GatewayError) {
    printReport(mistakeReport(explainMistake(asked, query, gateway)), options.json, context);
    return;
  }
  const found = sourceOf(asked, ready);
  const compiled = options.live === true ? readLiveOrExit(found, context) : found;
  let explanation: Explanation = explain(asked, query, { gateway, compiled });
  if (options.live === true) {
    const masked = maskedSource(compiled);
    const showValues = options.values === true;
    const { calls: callsMax } = compiled.source.spec.budget;
    const work = { title: 'explain', callsMax, quiet: options.json };
    const result = await withProgress(work, context, () =>
      explainLive(query, { compiled, masked, showValues, stop: context.stop }),
    );
    const live = displayLive(result, { gateway, compiled, masked: masked.spec, showValues });
    explanation = { ...explanation, live };
  }
  printReport(explanationReport(explanation), options.json, context);
  if (explanation.live !== undefined && !isUsable(explanation.live)) throw new ExitError(exitCodes.failure);
}

/** Adds `portico explain` to the command line. */
export function registerExplainCommand(
  program: Command,
  configFile: () => string,
  context: CliContext,
): void {
  program
    .command('explain')
    .description('show what becomes of a request: plan, upstream calls, claims, budget, cache key')
    .argument('<request>', "such as 'GET /v1/products?min_price=10&page=3'")
    .option('--live', 'ask the source, and show calls, outcomes and where the first record came from')
    .option('--values', 'with --live: show values of records, which are *** otherwise')
    .option('--json', 'print the explanation as JSON')
    .action((request: string, options: Options) => runExplain(request, options, configFile(), context));
}
