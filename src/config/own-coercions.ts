// Loads the module with an operator's own coercions, and gives the steps `call` of source files its functions.

import { createRequire, registerHooks } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { contentDigest } from '../kernel/secret.ts';
import { OwnCoercion } from './schema/mapping/own-coercion.ts';
import type { SourceSpec } from './schema/source.ts';
import { closest } from './validate/closest.ts';
import type { Problem } from './yaml/problem.ts';
import type { FileText, YamlFile } from './yaml/yaml-file.ts';

/** What a module of coercions exports. Nothing, if the module cannot be loaded, which is reported already. */
export type OwnFunctions = {
  readonly module: FileText;
  readonly digest: string;
  readonly exported?: Readonly<Record<string, unknown>>;
};

const require = createRequire(import.meta.url);

/**
 * Node 22 does not tell again why a module has failed. A module that was ended while it ran, because a start took too long, is
 * still running to Node. Under a new name both run anew.
 */
const RUN_ANEW = new Set(['ERR_INTERNAL_ASSERTION', 'ERR_REQUIRE_CYCLE_MODULE']);

/**
 * Runs a module. `import` would read the file again, later: but the text that was checked in a thread is the one to serve,
 * also in a worker, and where `state.dir` has kept it. Node remembers modules by name, so `name` has the digest of the text.
 */
function evaluate(text: string, name: string, isAgain = false): Readonly<Record<string, unknown>> {
  const url = pathToFileURL(name).href;
  const found = { format: 'module', shortCircuit: true } as const;
  const hooks = registerHooks({
    resolve: (asked, context, next) => (asked === name ? { url, ...found } : next(asked, context)),
    load: (asked, context, next) => (asked === url ? { source: text, ...found } : next(asked, context)),
  });
  try {
    return require(name) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const { code = '' } = Object(error) as NodeJS.ErrnoException;
    if (isAgain || !RUN_ANEW.has(code)) throw error;
    return evaluate(text, `${name}-${performance.now()}`, true);
  } finally {
    hooks.deregister();
  }
}

/** The same mistake in a module as in a script, without `export` and `import`: only of a script does Node say the line. */
function inScript(text: string, { message }: Error): Error | undefined {
  const script = text.replaceAll(/^(?:export(?: default)?(?= )|import\b.*)/gm, '');
  try {
    new Script(script, { filename: '%3Fscript' });
  } catch (error) {
    if (error instanceof Error && error.message === message) return error;
  }
  return undefined;
}

/** The line of a module that an error comes from. */
function lineOf(text: string, error: Error): { readonly line?: number } {
  const { stack = '' } = (error instanceof SyntaxError ? inScript(text, error) : error) ?? error;
  // Of all files in a stack, only the module has a digest in its name.
  const line = /%3F[\w.-]+:(\d+)/.exec(stack)?.[1];
  return line === undefined ? {} : { line: Number(line) };
}

/** Loads a module of coercions. Why it cannot be loaded is added to `problems`. */
export function loadFunctions(module: FileText, problems: Problem[]): OwnFunctions {
  const { file, text } = module;
  const digest = contentDigest(text);
  const name = `${resolve(file)}?${digest}`;
  try {
    return { module, digest, exported: evaluate(text, name) };
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const [said = ''] = error.message.split('\n');
    problems.push({
      ...{ file, ...lineOf(text, error), path: '' },
      message: `the module cannot be loaded: ${said.replaceAll(name, file)}`,
      hint: 'it is one file of JavaScript, an ES module without await at its top: export function name(value) { … }',
    });
    return { module, digest };
  }
}

/** The steps `call` in a part of a source, with their paths. */
function* callsIn(
  tree: unknown,
  path: readonly PropertyKey[],
): Generator<[OwnCoercion, readonly PropertyKey[]]> {
  if (tree instanceof OwnCoercion) yield [tree, path];
  else if (typeof tree === 'object' && tree !== null)
    for (const [key, value] of Object.entries(tree))
      yield* callsIn(value, [...path, Array.isArray(tree) ? Number(key) : key]);
}

/** Gives the steps `call` of a source their functions, and reports those that there are not. */
export function bindCalls(
  { resources }: SourceSpec,
  yaml: YamlFile,
  functions: OwnFunctions | undefined,
  problems: Problem[],
): void {
  for (const [own, path] of callsIn(resources, ['resources'])) {
    const { name } = own;
    const report = (message: string, hint: string) => problems.push(yaml.problemAt(path, message, hint));
    if (functions === undefined) {
      report(`there is no module with a function "${name}"`, 'coercions: ./coercions.js in the gateway file');
      continue;
    }
    const { exported, digest, module } = functions;
    if (exported === undefined) continue;
    const run = Object.hasOwn(exported, name) ? exported[name] : undefined;
    if (typeof run === 'function') {
      own.digest = digest;
      own.run = run as OwnCoercion['run'];
      continue;
    }
    const known = Object.keys(exported).filter((one) => typeof exported[one] === 'function');
    const near = closest(name, known);
    report(
      `${basename(module.file)} exports no function "${name}"`,
      near === undefined ? `functions: ${known.join(', ') || 'none'}` : `did you mean "${near}"?`,
    );
  }
}
