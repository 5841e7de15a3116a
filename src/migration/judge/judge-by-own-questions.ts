// Asks by itself where only the failures of one caller would roll a migration back.

import type { Logger } from 'pino';
import { shapeOfFailure } from './failure-shares.ts';
import type { OperationMemory, Ruling } from './rollback-rules.ts';

/** What Portico's own questions have shown: how many it asked, and at how many of them only the new source has failed. */
export type OwnAnswers = { readonly asked: number; readonly failed: number };

/** What the judge asks by. */
export type OwnJudgementDeps = {
  /**
   * Asks what the legacy source has listed lately, the shapes of the failed questions first. `undefined`: the answers are
   * still to come. It never rejects.
   */
  readonly askOwnQuestions: (
    resource: string,
    operation: string,
    shapes: ReadonlySet<string>,
  ) => Promise<OwnAnswers | undefined>;
  readonly log: Pick<Logger, 'info'>;
};

type Judged = { readonly operation: string; readonly memory: OperationMemory; readonly ruling: Ruling };

/** From so many own questions on that fail, the failures of one caller are those of the source. */
const OWN_FAILED = 2;

/**
 * Creates the function that decides a ruling of `ask` by Portico's own questions; `failing` is that of the evidence. If two
 * of them fail, all failures count, whoever asked. If all are answered, the failures beyond the bounds are forgotten. Else the
 * next look asks again.
 */
export function createOwnJudgement({ askOwnQuestions, log }: OwnJudgementDeps) {
  return async function judgeByOwnQuestions(
    resource: string,
    judged: Judged,
    failing: readonly string[] = [],
  ): Promise<Judged> {
    const { operation, memory, ruling } = judged;
    if (ruling.kind !== 'ask') return judged;
    const shapes = new Set(failing.map(shapeOfFailure));
    const { asked, failed } = (await askOwnQuestions(resource, operation, shapes)) ?? { asked: 0, failed: 0 };
    if (failed >= OWN_FAILED) {
      const evidence = `${ruling.evidence}, and ${failed} of ${asked} questions of Portico's own`;
      return { operation, memory, ruling: { kind: 'roll_back', rule: 'failures', evidence } };
    }
    if (asked === 0 || failed > 0) return { operation, memory, ruling: ruling.otherwise };
    log.info({ resource, operation, asked }, 'the new source fails at questions of one caller alone');
    const { cusum, failures } = memory;
    const forgotten = failures && { ...failures, unbounded: cusum };
    return { operation, memory: { ...memory, failures: forgotten }, ruling: ruling.otherwise };
  };
}
