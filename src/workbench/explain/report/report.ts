// The form of what commands report (JSON for programs, blocks for people), and how blocks become the text of a terminal.

import { longestWord, wrapWords } from '../../../kernel/wrap-words.ts';

/** A part of what a command reports to a person. */
export type ReportBlock =
  /** A line of text, perhaps empty. */
  | string
  /** A heading with indented blocks under it. */
  | { readonly heading: string; readonly blocks: readonly ReportBlock[] }
  /** Rows, perhaps below the names of their columns, which are as wide as their widest cell. A row of one cell is a line of its own. */
  | { readonly head?: readonly string[]; readonly table: readonly (readonly string[])[] }
  /** A result: its mark in a column `width` wide, what it is about, and details below. */
  | {
      readonly mark: string;
      readonly width: number;
      readonly text: string;
      readonly details?: readonly string[];
    };

/** The report of a command: `json` for programs, and the same as `blocks` for a person. */
export type Report = { readonly json: unknown; readonly blocks: readonly ReportBlock[] };

const INDENT = '  ';

/** A line of a file, as editors open it: `file:7`. */
export function placeText({
  file,
  line,
}: {
  readonly file: string;
  readonly line?: number | undefined;
}): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** An empty line and a heading with blocks under it; nothing if there are no blocks. */
export function section(heading: string, blocks: readonly ReportBlock[]): readonly ReportBlock[] {
  return blocks.length === 0 ? [] : ['', { heading, blocks }];
}

type Table = Extract<ReportBlock, { readonly table: unknown }>;
type Row = readonly string[];

/** A column is wrapped to no less, because fewer characters would have single words only. */
const COLUMN_MIN = 16;

/** A row as lines: its cells side by side, each wrapped to the width of its column. */
function rowLines(row: Row, widths: readonly number[]): readonly string[] {
  const cells = row.map((cell, column) => wrapWords(cell, widths[column] ?? Infinity));
  return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) =>
    cells
      .map((lines, column) => (lines[line] ?? '').padEnd(widths[column] ?? 0))
      .join(INDENT)
      .trimEnd(),
  );
}

/** Each row as a block: a line for each cell with a value, under the name of its column. */
function blocksOfRows(head: Row, table: readonly Row[], width: number): readonly string[] {
  return table.flatMap((row, index) => {
    if (row.length === 1) return row;
    const cells = row.map((cell, column) => [head[column] ?? '', cell]);
    const known = cells.filter(([, cell]) => cell !== '' && cell !== '-');
    return [...(index > 0 ? [''] : []), ...tableLines({ table: known }, width)];
  });
}

/**
 * A table as lines of at most `width` characters, as far as its words allow: with its widest column wrapped if that is enough,
 * else with a block for each row if the columns have names.
 */
function tableLines({ head, table }: Table, width: number): readonly string[] {
  const rows = head === undefined ? table : [head, ...table];
  const columns = Math.max(...rows.map((row) => row.length));
  const measured = columns === 1 ? rows : rows.filter((row) => row.length > 1);
  const cellsOf = (column: number) => measured.map((row) => row[column] ?? '');
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cellsOf(column).map(({ length }) => length)),
  );
  const all = widths.reduce((sum, one) => sum + one + INDENT.length, -INDENT.length);
  const widest = widths.indexOf(Math.max(...widths));
  const narrowed = (widths[widest] ?? 0) - (all - width);
  const least = head === undefined ? 0 : Math.max(...cellsOf(widest).map(longestWord));
  if (all > width && narrowed >= Math.max(COLUMN_MIN, least)) widths[widest] = narrowed;
  else if (all > width && head !== undefined) return blocksOfRows(head, table, width);
  return rows.flatMap((row) => (row.length < columns && row.length === 1 ? row : rowLines(row, widths)));
}

/** A line of a report. */
export type ReportLine = {
  /** Blanks before it. */
  readonly indent: number;
  readonly text: string;
  /** The mark at the start of a result, such as `ok`, and the width of its column. */
  readonly mark?: { readonly text: string; readonly width: number };
};

const plainLine = (text: string): ReportLine => ({ indent: 0, text });

const indented = (lines: readonly ReportLine[], by: number): readonly ReportLine[] =>
  lines.map((line) => ({ ...line, indent: line.indent + by }));

function blockLines(block: ReportBlock, columns: number): readonly ReportLine[] {
  if (typeof block === 'string') return block.split('\n').map(plainLine);
  if ('table' in block) return tableLines(block, columns).map(plainLine);
  if ('heading' in block) return [plainLine(block.heading), ...reportLines(block.blocks, 1, columns)];
  const { mark, width, text, details = [] } = block;
  return [
    { indent: 0, text: `${mark.padEnd(width)} ${text}`, mark: { text: mark, width } },
    ...indented(details.flatMap((detail) => detail.split('\n')).map(plainLine), width + 1),
  ];
}

/** The lines of a report, `depth` headings deep. Its tables are made to fit `width` characters. */
export function reportLines(
  blocks: readonly ReportBlock[],
  depth = 0,
  width = Infinity,
): readonly ReportLine[] {
  const indent = depth * INDENT.length;
  return indented(
    blocks.flatMap((block) => blockLines(block, width - indent)),
    indent,
  );
}

/** The text of a report, `depth` headings deep. */
export function renderText(blocks: readonly ReportBlock[], depth = 0): string {
  const lines = reportLines(blocks, depth);
  return lines.map(({ indent, text }) => `${text === '' ? '' : ' '.repeat(indent) + text}\n`).join('');
}
