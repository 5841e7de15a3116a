import type { CompiledSource } from '../../../source/compile-sources.ts';
import { type ClaimRun, runClaims } from '../../doctor/run-claims.ts';
import { openSession } from '../../doctor/session/source-session.ts';

/** What doctor says of a draft. */
export type DraftDiagnosis = ClaimRun & { readonly calls: number };

/** How far a diagnosis may go. */
export type DiagnosisBounds = { readonly callsMax: number; readonly signal: AbortSignal };

/** Has doctor hold what a draft claims against the live service. Only here does infer judge a claim. */
export async function diagnoseDraft(
  compiled: CompiledSource,
  { callsMax, signal }: DiagnosisBounds,
): Promise<DraftDiagnosis> {
  const session = openSession(compiled.source.spec, { callsMax });
  try {
    // A change is tried by the next diagnosis, so no hint is tried here.
    const run = await runClaims({ compiled, session, showValues: false, stop: signal, triesAdvice: false });
    return { ...run, calls: session.callsMade };
  } finally {
    session.close();
  }
}
