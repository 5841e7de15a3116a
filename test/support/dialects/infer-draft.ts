import { referenceContract } from '../reference.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerRequest } from '../../../src/workbench/doctor/answer-request.ts';
import { openSession } from '../../../src/workbench/doctor/session/source-session.ts';
import { jsonText } from '../../../src/kernel/json/json.ts';
import { type CompiledSource, compileSourceText } from '../../../src/source/compile-sources.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { type CliRun, runCommand } from '../command/run-command.ts';
import { createFolder } from '../process/folder.ts';
import { type DialectCase, listOf } from './dialect-case.ts';
import { TOKEN } from './serve.ts';
import type { ScriptedUpstream } from '../upstream/scripted-upstream.ts';

/** What `portico infer --json` prints. */
export type DraftReport = {
  readonly name: string;
  readonly dialect: string | null;
  readonly calls: number;
  readonly edits: number;
  readonly guesses: readonly { readonly path: string; readonly confidence: string; readonly text: string }[];
  readonly trials: readonly { readonly request: string; readonly status: number; readonly total?: number }[];
  readonly draft: string;
};

/** Runs `portico infer`; files are named by their contents. */
export async function runInfer(
  args: readonly string[],
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<CliRun> {
  const folder = createFolder('infer');
  try {
    const named = Object.entries(files).flatMap(([option, content]) => {
      const file = join(folder.path, option.replaceAll('-', ''));
      writeFileSync(file, content);
      return [option, file];
    });
    return await runCommand(['infer', ...args, ...named]);
  } finally {
    folder.remove();
  }
}

/** What a run with `--json` has printed, which must have ended well. */
function reportOf({ code, out, err }: CliRun): DraftReport {
  if (code !== 0) throw new Error(`portico infer ended with ${code}: ${err}`);
  return JSON.parse(out) as DraftReport;
}

/** Runs `portico infer --json`, which must end well. */
export async function inferDraft(
  args: readonly string[],
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<DraftReport> {
  return reportOf(await runInfer([...args, '--json'], files));
}

/** Runs `portico infer` on the service of a dialect, with further options. */
export function inferCase(
  one: DialectCase,
  { origin }: ScriptedUpstream,
  ...options: readonly string[]
): Promise<CliRun> {
  const { resource, oneBody } = one;
  const { path, body } = listOf(one);
  const files = { ...(body && { '--body': body }), ...(oneBody && { '--one-body': oneBody }) };
  const credential = ['--header', `Authorization: Bearer ${TOKEN}`];
  const what = [origin + path, '--resource', resource, '--name', 'draft'];
  return runInfer([...what, ...credential, ...options], files);
}

/** The draft of a dialect's service. */
export async function draftOf(one: DialectCase, service: ScriptedUpstream): Promise<DraftReport> {
  return reportOf(await inferCase(one, service, '--json'));
}

/** A draft, compiled as `portico check` does it, with the values of its variables. */
export function compileDraft(text: string, variables: Readonly<Record<string, string>> = {}): CompiledSource {
  const [compiled, ...others] = compileSourceText(
    { file: 'draft.yaml', text },
    { variables, readFile: () => '' },
    referenceContract,
  );
  if (compiled === undefined || others.length > 0) throw new Error('a draft describes one resource');
  return compiled;
}

/**
 * Answers requests of the contract from a source, as the gateway does, by default relying on all that its file claims;
 * `spec` may differ in its connection.
 */
export function answererOf(
  compiled: CompiledSource,
  spec: SourceSpec = compiled.source.spec,
  switchedOff: readonly string[] = [],
) {
  const session = openSession(spec);
  const contradicted: string[] = [];
  return {
    contradicted,
    async answer(
      request: string,
    ): Promise<{ readonly status: number; readonly body: string; readonly reason: string | undefined }> {
      const { status, body, error } = await answerRequest(request, {
        sources: [compiled],
        session,
        switchedOff,
        onContradicted: (claim) => void contradicted.push(claim),
        signal: new AbortController().signal,
      });
      return { status, body: jsonText(body), reason: error?.detail };
    },
    close: () => session.close(),
  };
}
