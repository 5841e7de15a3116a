import { toGatewayError } from '../../kernel/errors/fault.ts';
import { summariseCause } from '../../http/listener/cause-summary.ts';

/** The log line for an uncaught error: what the log says of any cause, and no more. */
export function fatalLine(thrown: unknown, pid: number): string {
  const cause = summariseCause(toGatewayError(thrown));
  const msg = 'an uncaught error: the process drains and ends';
  return `${JSON.stringify({ level: 60, time: Date.now(), pid, cause, msg })}\n`;
}
