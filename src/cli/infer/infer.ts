// `portico infer`: asks a live service, and writes the draft of the source file that describes it.

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { name as nameSchema } from '../../config/schema/elements/scalars.ts';
import { inferSource, type InferOptions, type InferredSource } from '../../workbench/infer/infer-source.ts';
import { InferError } from '../../workbench/infer/notes/note.ts';
import { trialNotes } from '../../workbench/infer/verify/trial-notes.ts';
import { type DraftTrial, tryDraft } from '../../workbench/infer/verify/try-draft.ts';
import { draftReport } from '../../workbench/infer/draft-report.ts';
import type { BesideDraft } from '../../workbench/infer/write/write-and-compile.ts';
import { mergeSourceFiles } from '../../workbench/infer/write/merge-source-files.ts';
import { type Report, renderText } from '../../workbench/explain/report/report.ts';
import { type CompiledSource, compileSourceText } from '../../source/compile-sources.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes, withHint } from '../context/context.ts';
import { liveEnvironment, readGatewayContract } from '../input/read-config.ts';
import { withInstalledSchema } from '../input/shipped-files.ts';
import { printBlocks, printReport } from '../output/print-report.ts';
import { withProgress } from '../output/progress.ts';
import { type InferArguments, type InferJob, readInferJob } from './infer-job.ts';
import { nextSteps } from './next-steps.ts';
import { wholeNumberOption } from '../input/whole-number-option.ts';

/** What a draft may cost, if nothing else is said. */
export const CALLS_MAX = 400;
/** The longest a call may take, if nothing else is said. */
export const TIMEOUT_S = 15;

/** Drafts one resource, and shows on a terminal how it goes on. */
function inferShown(options: InferOptions, context: CliContext): Promise<InferredSource> {
  const { callsMax, resource } = options;
  return withProgress({ title: `infer ${resource.name}`, callsMax }, context, () => inferSource(options));
}

/** The result of a job: the text of the source file, and what was found for each resource. */
type Drafted = {
  readonly text: string;
  readonly resources: readonly [InferredSource, ...InferredSource[]];
  readonly isComplete: boolean;
};

/** An address without what may be secret in it. */
const plainAddress = (url: string) => url.replace(/[?#].*$/s, '').replace(/(?<=\/\/)[^/]*@/, '');

/** What the draft of the next resource is added to: the file of `--into`, and the drafts before it. */
function besideOf(
  text: string | undefined,
  drafted: readonly InferredSource[],
  into: InferJob['into'],
  { env }: CliContext,
): BesideDraft | undefined {
  if (text === undefined) return undefined;
  const variables = Object.assign({}, env, ...drafted.map((one) => one.variables)) as typeof env;
  const names = drafted.map(({ compiled }) => compiled.resource.name);
  return {
    ...{ text, environment: liveEnvironment(variables), coercions: into?.coercions },
    resources: [...(into?.resources ?? []), ...names],
  };
}

/**
 * Drafts resource by resource. If one of several cannot be drafted, the reason is printed with its address, and the others
 * are kept, so that nothing that took many calls is lost. @throws InferError if there is only one
 */
async function draftAll({ drafts, into }: InferJob, context: CliContext): Promise<Drafted> {
  const resources: InferredSource[] = [];
  let text = into?.text;
  for (const options of drafts) {
    try {
      const one = await inferShown({ ...options, beside: besideOf(text, resources, into, context) }, context);
      const file = resources.length === 0 && into !== undefined ? into.file : 'the draft';
      text = text === undefined ? one.text : mergeSourceFiles({ file, text }, one.text);
      resources.push(one);
    } catch (error) {
      if (!(error instanceof InferError) || drafts.length === 1) throw error;
      const about = `${options.resource.name} is not in the draft (${plainAddress(options.url)}): `;
      context.err(`portico: ${withHint(about + error.message, error.hint)}\n`);
    }
  }
  const [first, ...others] = resources;
  if (first === undefined || text === undefined) throw new ExitError(exitCodes.failure);
  return { text, resources: [first, ...others], isComplete: resources.length === drafts.length };
}

/** Writes the draft. If that fails, it goes to standard output, because it must not be lost. */
function writeOut(text: string, { out, into }: InferJob, context: CliContext): void {
  if (out === undefined) return;
  try {
    writeFileSync(out, text, { flag: into === undefined ? 'wx' : 'w' });
  } catch (cause) {
    context.out(text);
    const { code = 'error' } = cause as NodeJS.ErrnoException;
    throw new ExitError(exitCodes.failure, `${out} cannot be written (${code}): the draft stands above`);
  }
}

/** Tries requests with the joined file, because each draft was tried alone. */
async function tryAgain(
  inferred: InferredSource,
  compiled: readonly CompiledSource[],
  context: CliContext,
): Promise<InferredSource> {
  const own = compiled.find(({ resource }) => resource.name === inferred.compiled.resource.name);
  if (own === undefined || inferred.calls === 0) return inferred;
  const title = `try ${own.resource.name}`;
  const trials = await withProgress({ title }, context, () => tryDraft(own, context.stop));
  // What went wrong with the draft alone is told already.
  const isNew = ({ request, status }: DraftTrial) =>
    !inferred.trials.some((one) => one.request === request && one.status === status);
  const notes = trialNotes(trials.filter(isNew), own);
  return { ...inferred, trials, notes: [...inferred.notes, ...notes] };
}

/** One report of all that was drafted. */
function reportOf({ text }: Drafted, resources: Drafted['resources']): Report {
  const [first, ...others] = resources;
  if (others.length === 0) return draftReport({ ...first, text });
  const reports = resources.map((one) => ({ ...draftReport(one), name: one.compiled.resource.name }));
  return {
    json: { name: first.name, resources: reports.map(({ json }) => json), draft: text },
    blocks: reports.map(({ blocks, name }) => ({ heading: `${name}:`, blocks })),
  };
}

/** Drafts a source file and writes it; the result says what was found, and what to do next. @throws InferError */
export async function draftSource(
  url: string | undefined,
  options: InferArguments,
  configFile: string,
  context: CliContext,
) {
  const contract = readGatewayContract(configFile);
  const read = () => readInferJob(url, options, { ...context, configFile, contract });
  const job = await endByInferError(read, exitCodes.usage);
  const found = await draftAll(job, context);
  // In a clone, the schema stands beside the gateway file.
  const isClone = existsSync(join(dirname(configFile), 'source.schema.json'));
  const drafted = isClone ? found : { ...found, text: withInstalledSchema(found.text) };
  const {
    text,
    resources: [first, ...others],
  } = drafted;
  writeOut(text, job, context);
  // The draft alone goes to standard output, so that it can be piped into a file.
  if (options.json !== true && job.out === undefined) context.out(text);
  const variables = Object.assign(
    {},
    ...drafted.resources.map((one) => one.variables),
  ) as typeof first.variables;
  const environment = liveEnvironment({ ...context.env, ...variables });
  const file = job.out ?? `${first.name}.yaml`;
  const compiled = compileSourceText({ file, text }, environment, contract, job.into);
  const resources: [InferredSource, ...InferredSource[]] = [first, ...others];
  if (compiled.length > 1)
    for (const [index, one] of drafted.resources.entries())
      resources[index] = await tryAgain(one, compiled, context);
  const report = reportOf(drafted, resources);
  const served = compiled.map(({ resource }) => resource.name);
  // A file of `--into` names its variables itself.
  const needed = job.into === undefined ? Object.keys(variables) : [];
  const written = { name: first.name, resources: served, variables: needed, configFile, env: context.env };
  const next = job.out === undefined ? [] : nextSteps({ ...written, file, contract });
  const open = resources.filter(({ notes }) => notes.some(({ level }) => level === 'edit'));
  return {
    ...{ file, report, next, served, isComplete: drafted.isComplete },
    /** The resources of which something is to edit. */
    open: open.map((one) => one.compiled.resource),
  };
}

/** Runs a part of a command that drafts. If no draft is possible, this ends it: with 69 if the service does not answer. */
export async function endByInferError<T>(
  run: () => T | Promise<T>,
  otherwise: number = exitCodes.failure,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof InferError)) throw error;
    const code = error.isUnavailable ? exitCodes.unavailable : otherwise;
    throw new ExitError(code, error.message, error.hint);
  }
}

async function runInfer(
  url: string | undefined,
  options: InferArguments,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const { report, next, isComplete } = await draftSource(url, options, configFile, context);
  if (options.json === true) printReport(report, true, context);
  else {
    printBlocks(report.blocks, context, { to: 'err' });
    // People paste these commands, so their lines are not broken.
    context.err(renderText(next));
  }
  if (!isComplete) throw new ExitError(exitCodes.failure);
}

const whole = wholeNumberOption(1, 99_999);

function sourceName(text: string): string {
  if (nameSchema.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a name of a-z, 0-9, - and _, starting with a letter.');
}

const collect = (line: string, lines: readonly string[] = []) => [...lines, line];

/** Adds `portico infer` to the command line. */
export function registerInferCommand({ program, configFile, context }: CommandLine): void {
  const header = "a header of every call, such as 'Authorization: Bearer …'; repeatable";
  const resource = 'what the list is of, or each list with its address: users=https://…; repeatable';
  const oneBody = 'the body of a request for one record, with an id of the list in it';
  const sample = 'saved replies to look at, in place of the service: a body, or with headers';
  program
    .command('infer')
    .description('look at a service, or at saved replies of one, and write a commented draft of its source')
    .argument('[url]', 'the address of the list')
    .requiredOption('--resource <name[=address]>', resource, collect)
    .option('--header <line>', header, collect, [])
    .addOption(
      new Option('--method <method>', 'POST only where the service reads by it').choices(['GET', 'POST']),
    )
    .option(
      '--body <file>',
      'the body of the request: JSON or XML; makes it a POST; of several: users=<file>',
      collect,
      [],
    )
    .option('--name <name>', 'the name of the source; default: of the host', sourceName)
    .option('--one <address>', 'the view of one record, with an id of the list in it', collect, [])
    .option('--one-body <file>', oneBody, collect, [])
    .option('--id <path>', 'the column of the id, if it is not found', collect, [])
    .option('--map <field=path>', 'the column of a field, such as name=subject; repeatable', collect, [])
    .option('--sample <file...>', sample)
    .option('--out <file>', 'where to write the draft; default: standard output, or sources/<name>.yaml')
    .option('--into <file>', 'a source file that the resources are added to; it has address and credential')
    .option('--calls-max <number>', 'the most calls that each resource may take', whole, CALLS_MAX)
    .option('--timeout <seconds>', 'the longest a call may take', whole, TIMEOUT_S)
    .option('--json', 'print the draft and every guess as JSON')
    .action((url: string | undefined, options: InferArguments) =>
      endByInferError(() => runInfer(url, options, configFile(), context)),
    );
}
