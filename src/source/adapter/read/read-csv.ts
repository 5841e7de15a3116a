import { CsvError, parse } from 'csv-parse/sync';
import type { DecodeSpec } from '../../../config/schema/source.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';

/**
 * Compiles a parser of CSV with a header row (RFC 4180): an array of rows, each an object by column name, all values
 * text. Rows of another length than the header, and duplicate columns, make the body invalid.
 */
export function compileCsvReader({
  delimiter,
  quote,
}: Pick<DecodeSpec, 'delimiter' | 'quote'>): (text: string) => Json {
  return function readCsv(text) {
    let rows: string[][];
    try {
      rows = parse(text, {
        delimiter,
        quote: quote === '' ? false : quote,
        bom: true,
        skip_empty_lines: true,
      });
    } catch (error) {
      // The parser's message quotes values, so only its code is passed on.
      const code = error instanceof CsvError ? error.code : 'unreadable';
      throw invalidReply('syntax', `the body is not CSV: ${code}`);
    }
    const [header, ...records] = rows;
    if (header === undefined) throw invalidReply('syntax', 'the CSV has no header row');
    if (new Set(header).size !== header.length) {
      throw invalidReply('syntax', 'the CSV names a column twice');
    }
    return records.map((record) => {
      const row = Object.create(null) as Record<string, Json>;
      header.forEach((name, index) => (row[name] = record[index] ?? ''));
      return row;
    });
  };
}
