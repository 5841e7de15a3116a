// Writes a draft of `infer`, refuses one that holds a credential, and compiles it as `portico check` does.

import type { Environment } from '../../../config/yaml/substitute.ts';
import { ConfigError } from '../../../config/yaml/problem.ts';
import type { FileText } from '../../../config/yaml/yaml-file.ts';
import { targetsOf } from '../../../contract/fields.ts';
import type { Contract, Resource } from '../../../contract/resource.ts';
import { type CompiledSource, compileSourceText } from '../../../source/compile-sources.ts';
import type { FirstResponse } from '../detect/first-response.ts';
import { InferError } from '../notes/note.ts';
import type { InferTarget } from '../requests/read-target.ts';
import { mergeSourceFiles } from './merge-source-files.ts';
import { type Draft, writeDraft } from './write-draft.ts';

/** A source file that describes other resources, and what its variables stand for. */
export type BesideDraft = {
  readonly text: string;
  readonly environment: Environment;
  readonly resources: readonly string[];
  /** The module whose functions it calls. */
  readonly coercions?: FileText | undefined;
};

/** What a draft is compiled for. */
export type DraftPurpose = {
  readonly resource: Resource;
  readonly contract: Contract;
  /** The file that the draft is added to, if there is one. */
  readonly beside?: BesideDraft | undefined;
};

/** The resources that a draft may refer to: its own, and those beside it. */
export const describedFor = ({ resource, beside }: DraftPurpose): ReadonlySet<string> =>
  new Set([resource.name, ...(beside?.resources ?? [])]);

/** The file that a draft is compiled with: only one that refers to other resources needs it. */
function neededBeside({ resource, beside }: DraftPurpose): BesideDraft | undefined {
  const targets = targetsOf([...resource.itemFields, ...resource.detailFields]);
  return beside?.resources.some((name) => targets.includes(name)) === true ? beside : undefined;
}

/** A credential that is a plain word, such as `user`: a draft may contain such a word for other reasons. */
const PLAIN_WORD = /^[a-z]{1,12}$/i;

/** Throws if a draft contains the value of a credential. A plain word is looked for only in the requests of the draft. */
function refuseLeaks(text: string, { request }: FirstResponse, { secrets, headers }: InferTarget): string {
  const sent = JSON.stringify([request.query, request.headers, request.body, headers]);
  const isHeld = (value: string) =>
    PLAIN_WORD.test(value) ? sent.includes(JSON.stringify(value)) : text.includes(value);
  const leak = Object.entries(secrets.variables).find(([, value]) => value.length > 3 && isHeld(value));
  if (leak === undefined) return text;
  throw new InferError(
    `the draft would hold the value of ${leak[0]}, so it is not written`,
    'give the request with the credential in one place only',
  );
}

/** The text of a draft, and the draft as `portico check` reads it. */
export type WrittenDraft = { readonly text: string; readonly compiled: CompiledSource };

/**
 * Writes a draft, and compiles it as `portico check` does.
 * @throws ConfigError if the draft has a problem, which is a mistake of infer
 */
export function writeAndCompile(
  draft: Draft,
  response: FirstResponse,
  target: InferTarget,
  options: DraftPurpose,
): WrittenDraft {
  const text = refuseLeaks(writeDraft(draft), response, target);
  const { variables } = target.secrets;
  const beside = neededBeside(options);
  const file = `${target.name}.yaml`;
  const all = compileSourceText(
    { file, text: beside === undefined ? text : mergeSourceFiles({ file, text: beside.text }, text) },
    beside === undefined
      ? { variables, readFile: () => '' }
      : { ...beside.environment, variables: { ...beside.environment.variables, ...variables } },
    options.contract,
    beside,
  );
  const compiled = all.find(({ resource }) => resource.name === options.resource.name);
  if (compiled === undefined) throw new Error('a draft describes a resource');
  return { text, compiled };
}

/** `compiled` of a changed draft; `undefined` for one that would not pass `portico check`. */
export function compileChanged(write: () => WrittenDraft): CompiledSource | undefined {
  try {
    return write().compiled;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
