// Compiles the mapping of all rows of a reply to records, and finds rows that are no valid records.

import type { ListSpec, MappingSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { compilePresence, pathAt } from '../spec/path.ts';
import type { ReplyObserver } from './reply-observer.ts';
import { CHECKED, type SpecLocation } from '../spec/spec-location.ts';
import { typedMapper, type TypeObserver } from './certified-types.ts';
import { compileMapping } from './map-record.ts';
import type { IdCodec } from './native-id.ts';

const NONE: ReadonlySet<Json> = new Set();

/**
 * Compiles the search for ghost records: rows that have no mapped key except the id, while other rows of the same reply have more
 * keys. In XML, such a row is a ghost only if another row has an empty element, because services may leave out empty elements.
 * Fields without a path, such as constants, have no key.
 */
function compileGhosts(map: MappingSpec, fields: readonly Field[], format: string) {
  const paths = fields.flatMap(({ kind, name }) => (kind === 'id' ? [] : (map[name]?.from ?? [])));
  const checks = paths.map(compilePresence);
  const finders = paths.map((path) => pathAt(path, CHECKED));
  const hasKey = (row: Json) => checks.some((has) => has(row));
  const isEmpty = (value: Json | undefined) => value === null || value === '';
  const showsEmpty = (row: Json) => finders.some((find) => isEmpty(find(row)));
  return function findGhosts(rows: readonly Json[]): ReadonlySet<Json> {
    const ghosts = rows.filter((row) => !hasKey(row));
    if (ghosts.length === 0 || ghosts.length === rows.length) return NONE;
    return format !== 'xml' || rows.some(showsEmpty) ? new Set(ghosts) : NONE;
  };
}

/** The end of the message about an invalid record: the required fields that it may lack; empty if only the id is required. */
export function requiredText(fields: readonly Field[]): string {
  const required = fields.flatMap((field) => (field.required && field.kind !== 'id' ? [field.name] : []));
  return required.length === 0 ? '' : `, or no ${required.join(' or ')}, which the contract requires`;
}

/** What the mapping of rows needs besides the mapping itself. */
type RowsContext = {
  /** Whether invalid records are left out and counted, instead of failing the reply. */
  readonly drop: boolean;
  /** The format of replies, such as `xml`. */
  readonly format: string;
  readonly here: SpecLocation;
  /** The path of the id, for messages. */
  readonly idAt: string;
  readonly types: TypeObserver;
};

/** Compiles the mapping of the rows of a reply. An invalid record is left out, or a GatewayError is thrown. */
export function compileRows(
  { map: spec }: ListSpec,
  fields: readonly Field[],
  codec: IdCodec,
  { drop, format, here, idAt, types }: RowsContext,
) {
  const map = typedMapper(compileMapping(spec, fields, codec, here), types);
  const findGhosts = compileGhosts(spec, fields, format);
  const orRequired = requiredText(fields);
  return function mapRows(rows: readonly Json[], observer: ReplyObserver): CanonicalRecord[] {
    const records: CanonicalRecord[] = [];
    const { onMissingValue } = observer;
    const onMissingInRow: ReplyObserver['onMissingValue'] = (field, reason, found) =>
      onMissingValue(field, reason, found, records.length);
    const numbered = { ...observer, onMissingValue: onMissingInRow };
    const ghosts = observer.keepsGhosts === true ? NONE : findGhosts(rows);
    for (const row of rows) {
      const isGhost = ghosts.has(row);
      const record = isGhost ? undefined : map(row, numbered);
      if (record !== undefined) records.push(record);
      else if (drop) onMissingValue('id', 'unreadable');
      else if (isGhost) {
        const place = `record ${rows.indexOf(row) + 1} of ${rows.length}`;
        throw invalidReply('id', `${place} is a ghost: it has no mapped key but its id`);
      } else throw invalidReply('id', `a record has no usable id at "${idAt}"${orRequired}`);
    }
    return records;
  };
}
