import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { compileSessionReader } from '../adapter/read/session-reader.ts';
import { pathText } from '../config/problem.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { createUpstream } from '../upstream/client.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { createExamination, type Examination } from '../probe/session/probe-session.ts';
import type { Finding } from '../probe/session/finding.ts';
import { examine } from '../probe/run-probes.ts';
import {
  type Diagnosis,
  findingText,
  resourceText,
  type ShownFinding,
  type ShownResource,
  summaryText,
} from '../explain/doctor-texts.ts';
import { orExit, readConfigOrExit, readSource } from './input/read-config.ts';

/** What `portico doctor` is told. */
type Options = {
  readonly source?: string;
  readonly callsMax: number;
  readonly values?: boolean;
  readonly json?: boolean;
};

const CALLS_MAX = 200;

function parseCalls(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError('Expected a whole number from 1 to 999999.');
  return Number(text);
}

/** What the source's file describes, by its name in the configuration or in a file of its own. */
function choose(
  name: string | undefined,
  { source: file }: Options,
  configFile: string,
  context: CliContext,
): readonly CompiledSource[] {
  const usage = (message: string): never => {
    context.err(`portico: ${message}\n`);
    throw new ExitError(exitCodes.usage);
  };
  if ((name === undefined) === (file === undefined)) return usage('name a source, or its file with --source');
  const compiled =
    file === undefined
      ? readConfigOrExit(configFile, context).sources
      : orExit(context, () =>
          readSource(file, { variables: context.env, readFile: (path) => readFileSync(path, 'utf8') }),
        );
  const chosen = file === undefined ? compiled.filter(({ source }) => source.spec.name === name) : compiled;
  const names = [...new Set(compiled.map(({ source }) => source.spec.name))];
  return chosen.length > 0
    ? chosen
    : usage(`no source is named "${name ?? ''}"; sources: ${names.join(', ')}`);
}

function showFinding(examination: Examination, finding: Finding): ShownFinding {
  const { probe, claim, at, verdict, observed, hint, calls = [] } = finding;
  const { file, line, column } = examination.compiled.source.yaml.problemAt(at, '');
  const shown = calls.flatMap((request) => examination.shown(request) ?? []);
  return {
    ...{ probe, claim, file, path: pathText(at), verdict, observed },
    ...(line !== undefined && at.length > 0 && { line }),
    ...(column !== undefined && at.length > 0 && { column }),
    ...(hint !== undefined && { hint }),
    ...(shown.length > 0 && { calls: shown }),
  };
}

/** Examines one resource, and tells each finding as it comes. */
async function diagnoseOne(
  examination: Examination,
  tell: (text: string) => void,
): Promise<{ readonly shown: ShownResource; readonly unreached: string | undefined }> {
  const { resource, spec, compiled } = examination;
  const findings: ShownFinding[] = [];
  tell(resourceText(resource.name, { source: spec.name, file: compiled.source.yaml.file }));
  const { rows, complete, unreached } = await examine(examination, (finding) => {
    const shown = showFinding(examination, finding);
    findings.push(shown);
    tell(findingText(shown));
  });
  return { shown: { resource: resource.name, rows, complete, findings }, unreached };
}

/** Examines all that a source's file describes. */
async function diagnose(
  compiled: readonly [CompiledSource, ...CompiledSource[]],
  { callsMax, values }: Options,
  context: CliContext,
  tell: (text: string) => void,
): Promise<Diagnosis> {
  const { spec, yaml } = compiled[0].source;
  const text = readFileSync(yaml.file, 'utf8');
  const upstream = createUpstream(spec, {
    onExchange: () => undefined,
    readSession: compileSessionReader(spec),
  });
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  const start = performance.now();
  const resources: ShownResource[] = [];
  let unreached: string | undefined;
  try {
    for (const [index, one] of compiled.entries()) {
      if (unreached !== undefined) break;
      // What one resource leaves of its share is for the next.
      const share = Math.ceil((callsMax * (index + 1)) / compiled.length);
      const bounds = { callsMax: share, usage, stop: context.stop, showValues: values === true };
      const found = await diagnoseOne(createExamination({ compiled: one, text, upstream, ...bounds }), tell);
      resources.push(found.shown);
      unreached = found.unreached;
    }
  } finally {
    upstream.close();
  }
  const all = resources.flatMap(({ findings }) => findings);
  return {
    ...{ source: spec.name, file: yaml.file, baseUrl: spec.net.baseUrl },
    ...{ calls: usage.upstreamCalls, ms: Math.round(performance.now() - start) },
    differences: all.filter(({ verdict }) => verdict === 'differs').length,
    ...(unreached !== undefined && { unreached }),
    resources,
  };
}

/**
 * `portico doctor`: holds what a source's file claims against the live service. Exit code 1 where they differ, 69
 * where the service cannot be reached and no difference was found before.
 */
async function runDoctor(
  name: string | undefined,
  options: Options,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const [first, ...others] = choose(name, options, configFile, context);
  if (first === undefined) return;
  const asJson = options.json === true;
  const tell = (text: string) => (asJson ? undefined : context.out(text));
  const diagnosis = await diagnose([first, ...others], options, context, tell);
  if (asJson) context.out(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else tell(summaryText(diagnosis));
  if (diagnosis.unreached !== undefined)
    context.err(`portico: ${diagnosis.source} at ${diagnosis.baseUrl}: ${diagnosis.unreached}\n`);
  if (diagnosis.differences > 0) throw new ExitError(exitCodes.failure);
  if (diagnosis.unreached !== undefined) throw new ExitError(exitCodes.unavailable);
}

/** Adds `portico doctor` to the command line. */
export function registerDoctorCommand(program: Command, configFile: () => string, context: CliContext): void {
  program
    .command('doctor')
    .description('hold what the file of a source claims against the live service; only reads')
    .argument('[source]', 'the name of a source in the configuration')
    .option('--source <file>', 'examine what one source file describes')
    .option('--calls-max <n>', 'the most calls to the service', parseCalls, CALLS_MAX)
    .option('--values', 'tell the values that filters were tried with, which are *** otherwise')
    .option('--json', 'print one JSON document')
    .action((name: string | undefined, options: Options) => runDoctor(name, options, configFile(), context));
}
