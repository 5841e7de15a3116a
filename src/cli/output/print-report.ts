import { type Report, renderText } from '../../explain/report/report.ts';
import type { CliContext } from '../context.ts';

/** Prints a report on standard output: as JSON where that is asked for, or else as text. */
export function printReport(
  { json, blocks }: Report,
  asJson: boolean | undefined,
  context: CliContext,
): void {
  context.out(asJson === true ? `${JSON.stringify(json, null, 2)}\n` : renderText(blocks));
}
