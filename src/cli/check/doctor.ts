// `portico doctor`: asks a live source whether it is as its source file says.

import type { CompiledSource } from '../../source/compile-sources.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import {
  diagnosisReport,
  findingBlock,
  resourceHeading,
} from '../../workbench/explain/report/doctor-report.ts';
import type { ReportBlock } from '../../workbench/explain/report/report.ts';
import { printBlocks, printReport } from '../output/print-report.ts';
import { withProgress } from '../output/progress.ts';
import { diagnose } from '../../workbench/doctor/diagnose.ts';
import { liveResourcesOfSource } from '../input/choose-source.ts';
import { liveEnvironment, readPartialConfig, readSource } from '../input/read-config.ts';
import { wholeNumberOption } from '../input/whole-number-option.ts';

/** The options of `portico doctor`. */
type Options = {
  readonly source?: string;
  readonly callsMax: number;
  readonly values?: boolean;
  readonly json?: boolean;
};

const CALLS_MAX = 200;

/** Finds the source with this name in the configuration, or the source that a file outside of it describes. */
function chooseSource(
  name: string | undefined,
  { source: file }: Options,
  configFile: string,
  context: CliContext,
): readonly [CompiledSource, ...CompiledSource[]] {
  if (name !== undefined && file === undefined) {
    const { sources } = readPartialConfig(configFile, context.env, { gateway: false });
    return liveResourcesOfSource(name, sources, context);
  }
  if (name !== undefined || file === undefined)
    throw new ExitError(exitCodes.usage, 'name a source, or its file with --source');
  const [first, ...others] = readSource(file, liveEnvironment(context.env));
  if (first === undefined) throw new ExitError(exitCodes.usage, `${file} describes no resource`);
  return [first, ...others];
}

/**
 * `portico doctor`: compares what a source's file claims with the live service. Exit code 1 if they differ or the
 * file bets on an order, 130 if Ctrl-C has ended it, 69 if the service cannot be reached and no difference was found before.
 */
async function runDoctor(
  name: string | undefined,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const compiled = chooseSource(name, options, configFile, context);
  const { callsMax, values: showValues = false } = options;
  // Findings are printed as they come, so that a long diagnosis can be followed.
  const title = `doctor ${compiled[0].source.spec.name}`;
  if (options.json !== true)
    printBlocks([`at most ${callsMax} calls, one at a time; --calls-max changes that`], context);
  const diagnosis = await withProgress({ title, callsMax, quiet: options.json }, context, (shown) => {
    const print = (block: ReportBlock, depth: number) =>
      options.json === true ? undefined : printBlocks([block], shown, { depth });
    return diagnose(compiled, {
      ...{ callsMax, showValues, stop: context.stop },
      onResource: (one) => print(resourceHeading(one), 0),
      onFinding: (finding) => print(findingBlock(finding), 1),
    });
  });
  printReport(diagnosisReport(diagnosis), options.json, context);
  const { source, baseUrl, unreached, differences, bets } = diagnosis;
  const message = unreached && `${source} at ${baseUrl}: ${unreached}`;
  if (context.stop.aborted) throw new ExitError(exitCodes.interrupted, message);
  if (differences + bets > 0) throw new ExitError(exitCodes.failure, message);
  if (message !== undefined) throw new ExitError(exitCodes.unavailable, message);
}

/** Adds `portico doctor` to the command line. */
export function registerDoctorCommand({ program, configFile, context }: CommandLine): void {
  program
    .command('doctor')
    .description('compare what the file of a source claims with the live service; only reads')
    .argument('[source]', 'the name of a source in the configuration')
    .option('--source <file>', 'examine what one source file describes')
    .option('--calls-max <n>', 'the most calls to the service', wholeNumberOption(1, 999_999), CALLS_MAX)
    .option('--values', 'show the values that filters were tried with, which are *** otherwise')
    .option('--json', 'print one JSON document')
    .action((name: string | undefined, options: Options) => runDoctor(name, options, configFile(), context));
}
