// `portico quality`: says how well the replies of sources fit their files, as a running gateway has counted it, or as the
// sources reply now.

import type { ResourceQuality } from '../pipeline/quality.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from './context/context.ts';
import { type LiveQuality, readQuality } from '../workbench/explain/quality-live.ts';
import { printReport } from './output/print-report.ts';
import { withProgress } from './output/progress.ts';
import { qualityReport } from '../workbench/explain/report/quality-report.ts';
import { type AskOperator, askListener, type GatewayOptions } from './gateway/operator-api-client.ts';
import { addListenerOptions } from './input/operator-listener.ts';
import { resourcesOfSource } from './input/choose-source.ts';
import { readLive, readPartialConfig, type ReadyConfig } from './input/read-config.ts';

type Options = GatewayOptions & { readonly live?: boolean; readonly values?: boolean };

async function findQuality(
  name: string | undefined,
  options: Options,
  { ready, ask }: { readonly ready: ReadyConfig; readonly ask: () => AskOperator },
  context: CliContext,
): Promise<readonly (ResourceQuality | LiveQuality)[]> {
  if (options.live !== true) {
    const { sources } = await ask()('quality', {});
    // The schema of the answer names only some of its fields.
    const all = sources as readonly object[] as readonly ResourceQuality[];
    return all.filter(({ source }) => name === undefined || source === name);
  }
  const found: LiveQuality[] = [];
  for (const compiled of ready.sources) {
    if (name !== undefined && compiled.source.spec.name !== name) continue;
    const live = readLive(compiled, context.env);
    const title = `quality ${live.source.spec.name}: ${live.resource.name}`;
    const { calls: callsMax } = live.source.spec.budget;
    const settings = { showShapes: options.values === true, stop: context.stop };
    const quiet = options.json;
    found.push(await withProgress({ title, callsMax, quiet }, context, () => readQuality(live, settings)));
  }
  return found;
}

/**
 * `portico quality`: what a running gateway has counted of its sources' records, or with `--live` what the sources
 * reply now. Exit code 1 if a source cannot be read to its end.
 */
async function runQuality(
  name: string | undefined,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  if (options.values === true && options.live !== true)
    throw new ExitError(
      exitCodes.usage,
      '--values needs --live: a running gateway keeps no values, not even their shape',
    );
  const ready = readPartialConfig(configFile, context.env, { gateway: options.live !== true });
  if (name !== undefined) resourcesOfSource(name, ready.sources);
  const ask = () => askListener(options, configFile, context);
  const sources = await findQuality(name, options, { ready, ask }, context);
  printReport(qualityReport(sources), options.json, context);
  if (sources.some((one) => 'problem' in one && one.problem !== undefined))
    throw new ExitError(exitCodes.failure);
}

/** Adds `portico quality` to the command line. */
export function registerQualityCommand({ program, configFile, context }: CommandLine): void {
  const command = program
    .command('quality')
    .description(
      'show how well the records of the sources can be read: null, missing and unreadable per field',
    )
    .argument('[source]', 'the name of one source; default: all');
  addListenerOptions(command, '--admin, --gateway <url>')
    .option('--live', 'do not ask the gateway, but read the source itself, within its budget')
    .option('--values', 'with --live: show the form of unreadable values, such as "99.99.9999"')
    .action((name: string | undefined, options: Options) => runQuality(name, options, configFile(), context));
}
