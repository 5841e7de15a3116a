import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnosis, DisplayedFinding } from '../../../src/workbench/doctor/diagnose.ts';
import type { Capabilities, Row } from '../model/capabilities.ts';
import { modelSource } from '../model/source.ts';
import { type ModelUpstream, startModelUpstream } from '../model/upstream.ts';
import { createFolder } from '../process/folder.ts';
import { runCommand } from './run-command.ts';

/** What a run of `portico doctor` found out. */
export type Examined = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly diagnosis: Diagnosis;
  readonly findings: readonly DisplayedFinding[];
  /** The probes that found a difference, in order. */
  readonly differing: readonly string[];
};

/** A folder for source files, and `portico doctor` in front of what they describe. */
export type Examiner = {
  /** Examines the source in a YAML text, as JSON. */
  examine(yaml: string, ...args: readonly string[]): Promise<Examined>;
  /** The same as a person reads it. */
  read(yaml: string, ...args: readonly string[]): Promise<{ code: number; out: string; err: string }>;
  /** Examines a model upstream that does some things behind a file that says others. */
  model(does: Capabilities, rows: readonly Row[], says?: Capabilities): Promise<Examined>;
  readonly upstream: ModelUpstream;
  close(): Promise<void>;
};

/** Opens one, with a model upstream. */
export async function openExaminer(): Promise<Examiner> {
  const upstream = await startModelUpstream();
  const folder = createFolder('doctor');
  const file = join(folder.path, 'source.yaml');

  async function run(yaml: string, args: readonly string[]) {
    writeFileSync(file, yaml);
    return runCommand(['doctor', '--source', file, ...args]);
  }

  async function examine(yaml: string, ...args: readonly string[]): Promise<Examined> {
    const completed = await run(yaml, ['--json', ...args]);
    if (completed.out === '') throw new Error(completed.err);
    const diagnosis = JSON.parse(completed.out) as Diagnosis;
    const findings = diagnosis.resources.flatMap((resource) => resource.findings);
    const differing = findings.filter(({ verdict }) => verdict === 'differs').map(({ probe }) => probe);
    return { ...completed, diagnosis, findings, differing };
  }

  return {
    upstream,
    examine,
    read: (yaml, ...args) => run(yaml, args),
    async model(does, rows, says = does) {
      upstream.become(does, rows);
      return examine(modelSource(says, upstream.baseUrl));
    },
    async close() {
      folder.remove();
      await upstream.close();
    },
  };
}
