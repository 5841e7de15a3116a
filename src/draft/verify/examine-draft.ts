import type { CompiledSource } from '../../pipeline/compile-sources.ts';
import type { Finding } from '../../probe/resource/finding.ts';
import { createProbeSession } from '../../probe/resource/probe-session.ts';
import { probeResource } from '../../probe/run-probes.ts';
import { openSession } from '../../probe/session/source-session.ts';

/** What doctor says of a draft. */
export type Examination = {
  readonly findings: readonly Finding[];
  /** Rows that the claims were held against. */
  readonly rows: number;
  /** Whether these are all rows of the service. */
  readonly complete: boolean;
  readonly calls: number;
  /** Why not everything was probed, if it was not. */
  readonly unreached: string | undefined;
};

/** How far an examination may go. */
export type ExaminationBounds = { readonly callsMax: number; readonly signal: AbortSignal };

/** Has doctor hold what a draft claims against the live service. Only here does infer judge a claim. */
export async function examineDraft(
  compiled: CompiledSource,
  { callsMax, signal }: ExaminationBounds,
): Promise<Examination> {
  const session = openSession(compiled.source.spec, { callsMax });
  const findings: Finding[] = [];
  try {
    const probes = createProbeSession({ compiled, session, showValues: false, stop: signal });
    const probed = await probeResource(probes, (finding) => findings.push(finding));
    return { findings, ...probed, calls: session.callsMade };
  } finally {
    session.close();
  }
}
