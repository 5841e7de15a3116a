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
import type { CliContext, Terminal } from '../context/context.ts';
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

/** Breaks a text at blanks into lines of at most `columns` characters; a longer word is left whole. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const before = rest.lastIndexOf(' ', columns);
    const end = rest.slice(0, before).trim() === '' ? rest.indexOf(' ', columns) : before;
    if (end < 0) break;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end + 1).trimStart();
  }
  return [...lines, rest];
}

/** A line for a terminal: wrapped at its width, with the further lines indented. */
function terminalLine({ indent, text, mark }: ReportLine, { stream, hasColours }: Terminal): string {
  const hang = indent + (mark === undefined ? 2 : mark.width + 1);
  const columns = Math.max(COLUMNS_MIN, stream.columns - hang);
  const [first = '', ...more] = wrapped(plain(text), columns);
  const style = mark === undefined ? undefined : STYLES[mark.text];
  const painted =
    style === undefined || mark === undefined || !hasColours
      ? first
      : styleText(style, mark.text, { validateStream: false }) + first.slice(mark.text.length);
  return [' '.repeat(indent) + painted, ...more.map((line) => ' '.repeat(hang) + line)].join('\n');
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
  else
    for (const line of reportLines(blocks, depth)) terminal.stream.write(`${terminalLine(line, terminal)}\n`);
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
