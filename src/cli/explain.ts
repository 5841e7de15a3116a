// `portico explain`: says how a request would be answered, or with `--live` how the source answers it now.

import { type CliContext, type CommandLine, ExitError, exitCodes } from './context/context.ts';
import { printReport } from './output/print-report.ts';
import { withProgress } from './output/progress.ts';
import {
  explanationReport,
  mistakeReport,
  passthroughReport,
} from '../workbench/explain/report/explain-report.ts';
import { explainWithLive, readExplanation } from '../workbench/explain/read-explanation.ts';
import { readLive, readPartialConfig } from './input/read-config.ts';

type Options = { readonly live?: boolean; readonly values?: boolean; readonly json?: boolean };

/**
 * `portico explain`: shows what happens to a request, without asking the source, or with `--live` by asking it. Exit code
 * 64 if the request is to no operation, 1 if the live answer is an error.
 */
async function runExplain(
  request: string,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const ready = readPartialConfig(configFile, context.env, { gateway: false });
  const { gateway } = ready;
  const read = readExplanation(request, ready);
  if (read.kind === 'refused') throw new ExitError(exitCodes.usage, read.why);
  if (read.kind === 'passthrough') {
    if (options.live === true)
      throw new ExitError(exitCodes.usage, '--live asks a source; a pass-through route has none');
    printReport(passthroughReport(read.explanation), options.json, context);
    return;
  }
  if (read.kind === 'mistake') {
    printReport(mistakeReport(read.explanation), options.json, context);
    return;
  }
  let { explanation } = read;
  if (options.live === true) {
    // Placeholders of variables are enough for a plan, but not to ask the source.
    const compiled = readLive(read.compiled, context.env);
    const { calls: callsMax } = compiled.source.spec.budget;
    const work = { title: 'explain', callsMax, quiet: options.json };
    const asking = { gateway, compiled, showValues: options.values === true, stop: context.stop };
    explanation = await withProgress(work, context, () => explainWithLive(read.asked, asking));
  }
  printReport(explanationReport(explanation), options.json, context);
  const { status = 200, code } = explanation.live?.answer ?? {};
  if (status !== 200 && code !== 'not_found') throw new ExitError(exitCodes.failure);
}

/** Adds `portico explain` to the command line. */
export function registerExplainCommand({ program, configFile, context }: CommandLine): void {
  program
    .command('explain')
    .description('show what becomes of a request: plan, upstream calls, claims, budget, cache key')
    .argument('<request>', "such as 'GET /v1/products?min_price=10&page=3'")
    .option('--live', 'ask the source, and show calls, outcomes and where the first record came from')
    .option('--values', 'with --live: show values of records, which are *** otherwise')
    .option('--json', 'print the explanation as JSON')
    .action((request: string, options: Options) => runExplain(request, options, configFile(), context));
}
