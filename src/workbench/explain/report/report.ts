// The form of what commands report (JSON for programs, blocks for people), and how blocks become the text of a terminal.

/** A part of what a command reports to a person. */
export type ReportBlock =
  /** A line of text, perhaps empty. */
  | string
  /** A heading with indented blocks under it. */
  | { readonly heading: string; readonly blocks: readonly ReportBlock[] }
  /** Rows whose columns are as wide as their widest cell. A row of one cell is a line of its own. */
  | { readonly table: readonly (readonly string[])[] }
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

/** Rows as lines, with each column as wide as its widest cell. */
function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const measured = columns === 1 ? rows : rows.filter((row) => row.length > 1);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...measured.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (row.length === 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join(INDENT)
      .trimEnd(),
  );
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

function blockLines(block: ReportBlock): readonly ReportLine[] {
  if (typeof block === 'string') return block.split('\n').map(plainLine);
  if ('table' in block) return tableLines(block.table).map(plainLine);
  if ('heading' in block)
    return [plainLine(block.heading), ...indented(block.blocks.flatMap(blockLines), INDENT.length)];
  const { mark, width, text, details = [] } = block;
  return [
    { indent: 0, text: `${mark.padEnd(width)} ${text}`, mark: { text: mark, width } },
    ...indented(details.flatMap((detail) => detail.split('\n')).map(plainLine), width + 1),
  ];
}

/** The lines of a report, `depth` headings deep. */
export function reportLines(blocks: readonly ReportBlock[], depth = 0): readonly ReportLine[] {
  return indented(blocks.flatMap(blockLines), depth * INDENT.length);
}

/** The text of a report, `depth` headings deep. */
export function renderText(blocks: readonly ReportBlock[], depth = 0): string {
  const lines = reportLines(blocks, depth);
  return lines.map(({ indent, text }) => `${text === '' ? '' : ' '.repeat(indent) + text}\n`).join('');
}
