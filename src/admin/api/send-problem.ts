import type { Response } from 'express';
import { type ActionProblem, problemStatus } from './action.ts';

/** Answers a problem, in the one form that all errors of the operator's listener have. */
export function sendProblem(res: Response, { code, reason, hint, unmet }: ActionProblem): void {
  res.status(problemStatus[code]).json({ error: { code, reason, hint, unmet } });
}
