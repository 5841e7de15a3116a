// Prints the report of a command, for all commands that have one: as JSON, as plain text, or wrapped and coloured for a
// terminal.

import { styleText } from 'node:util';
import {
  type Report,
  type ReportBlock,
  type ReportLine,
  renderText,
  reportLines,
} from '../../workbench/explain/report/report.ts';
import { wrapWords } from '../../kernel/wrap-words.ts';
import type { CliContext } from '../context/context.ts';
import { plain } from './plain-output.ts';

type Style = Parameters<typeof styleText>[0];

/** The colours of results, by their marks. */
const STYLES: Readonly<Record<string, Style>> = {
  agrees: 'green',
  ok: 'green',
  recorded: 'green',
  DIFFERS: ['red', 'bold'],
  FAIL: ['red', 'bold'],
  'not recorded': ['red', 'bold'],
  unclear: 'yellow',
  note: 'cyan',
};

/** Text is wrapped at this width if a terminal is narrower, because shorter lines would have single words only. */
const COLUMNS_MIN = 40;

/** A line for a terminal: wrapped at its width, with the further lines indented. */
function terminalLine({ indent, text, mark }: ReportLine, width: number, hasColours: boolean): string {
  const hang = indent + (mark === undefined ? 2 : mark.width + 1);
  const lines = wrapWords(
    plain(text),
    Math.max(width, COLUMNS_MIN + hang),
    ' '.repeat(indent),
    ' '.repeat(hang),
  );
  const style = mark === undefined ? undefined : STYLES[mark.text];
  const all = lines.join('\n').trimEnd();
  if (style === undefined || mark === undefined || !hasColours) return all;
  return all.replace(mark.text, (found) => styleText(style, found, { validateStream: false }));
}

/** The outputs to which a report is printed. */
type ReportContext = Pick<CliContext, 'out' | 'err' | 'terminals'>;

/** Prints a part of a report: wrapped and with colours on a terminal, elsewhere as plain text. */
export function printBlocks(
  blocks: readonly ReportBlock[],
  context: ReportContext,
  { to = 'out', depth = 0 }: { readonly to?: 'out' | 'err'; readonly depth?: number } = {},
): void {
  const terminal = context.terminals?.[to];
  if (terminal === undefined) context[to](renderText(blocks, depth));
  else {
    const { stream, hasColours } = terminal;
    const width = Math.max(stream.columns, COLUMNS_MIN);
    for (const line of reportLines(blocks, depth, width))
      stream.write(`${terminalLine(line, width, hasColours)}\n`);
  }
}

/** Prints a report on standard output: as JSON if `json` is true, or else as text. With `indent` 0 the JSON is one line. */
export function printReport(
  { json, blocks }: Report,
  asJson: boolean | undefined,
  context: ReportContext,
  indent: 0 | 2 = 2,
): void {
  if (asJson === true) context.out(`${JSON.stringify(json, null, indent)}\n`);
  else printBlocks(blocks, context);
}
