import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { type DraftReport, runInfer } from '../../support/dialects/infer-draft.ts';
import type { Diagnosis } from '../../../src/workbench/doctor/diagnose.ts';
import { SERVICE_KEY, type Service, type Store } from './start-service.ts';
import { GRAPHQL } from './source-file.ts';
import { nativeOf } from './stages.ts';

/** What `portico doctor` says of a file. */
export type Examined = {
  /** Each claim that differs, in a line. */
  readonly differs: readonly string[];
  /** Each claim that it could not tell of, in a line. */
  readonly untold: readonly string[];
  /** Each claim that nothing keeps as it is, in a line. */
  readonly bets: readonly string[];
  /** What it proposes, in a line each. */
  readonly hints: readonly string[];
  readonly calls: number;
};

/** What `portico infer` drafts. */
export type Drafted = { readonly text: string; readonly edits: number; readonly calls: number };

/** Runs `portico doctor` on the text of a source file. */
export async function examineFile(text: string): Promise<Examined> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-claims-'));
  const file = join(folder, 'draft.yaml');
  writeFileSync(file, text);
  try {
    const { out, err } = await runCommand(['doctor', '--source', file, '--json']);
    if (out === '') throw new Error(err);
    const { calls, resources, unreached } = JSON.parse(out) as Diagnosis;
    const findings = resources.flatMap((resource) => resource.findings);
    const linesOf = (verdict: string) =>
      findings.filter((one) => one.verdict === verdict).map(({ probe, observed }) => `${probe}: ${observed}`);
    const hints = findings.flatMap(({ probe, hint }) => (hint === undefined ? [] : [`${probe}: ${hint}`]));
    const silent = unreached === undefined ? [] : [`unreached: ${unreached}`];
    return {
      differs: [...linesOf('differs'), ...silent],
      untold: linesOf('could not tell'),
      bets: linesOf('bet'),
      hints,
      calls,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The bodies that an operator gives who knows the queries of a service. */
function queriesOf({ records }: Store): Readonly<Record<string, string>> {
  const id = records[0] === undefined ? '' : nativeOf(records[0].record);
  return {
    '--body': JSON.stringify({ query: GRAPHQL.list, variables: { limit: 10, offset: 0 } }),
    '--one-body': JSON.stringify({ query: GRAPHQL.one, variables: { id } }),
  };
}

/** Runs `portico infer` on a service; the reason, where it drafts nothing. */
export async function draftFile({ origin, store }: Service): Promise<Drafted | { readonly refused: string }> {
  const { resource, key, graphql } = store.traits;
  const credential = key ? ['--header', `X-Key: ${SERVICE_KEY}`] : [];
  const path = graphql === undefined ? resource : 'graphql';
  const { code, out, err } = await runInfer(
    [`${origin}/${path}`, '--resource', resource, '--name', 'draft', '--json', ...credential],
    graphql === undefined ? {} : queriesOf(store),
  );
  if (code !== 0) return { refused: err.split('\n')[0] ?? '' };
  const { draft, edits, calls } = JSON.parse(out) as DraftReport;
  return { text: draft.replaceAll(/\$\{[A-Z_]*KEY[A-Z_]*(?::-[^}]*)?\}/g, SERVICE_KEY), edits, calls };
}
