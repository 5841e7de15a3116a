import type { CompiledSource } from '../../pipeline/compile-sources.ts';
import { type ClaimRun, runClaims } from '../../probe/run-claims.ts';
import { openSession } from '../../probe/session/source-session.ts';

/** What doctor says of a draft. */
export type Examination = ClaimRun & { readonly calls: number };

/** How far an examination may go. */
export type ExaminationBounds = { readonly callsMax: number; readonly signal: AbortSignal };

/** Has doctor hold what a draft claims against the live service. Only here does infer judge a claim. */
export async function examineDraft(
  compiled: CompiledSource,
  { callsMax, signal }: ExaminationBounds,
): Promise<Examination> {
  const session = openSession(compiled.source.spec, { callsMax });
  try {
    // A change is tried by the next examination, so no hint is tried here.
    const run = await runClaims({ compiled, session, showValues: false, stop: signal, triesAdvice: false });
    return { ...run, calls: session.callsMade };
  } finally {
    session.close();
  }
}
