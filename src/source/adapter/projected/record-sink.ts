import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { compileMapping, type OnMissingValue } from '../map/map-record.ts';
import type { IdCodec } from '../map/native-id.ts';
import { CHECKED } from '../spec/spec-location.ts';
import type { RowSink, RowSlots } from './list-program.ts';
import { type FieldMapping, slotPaths } from './slot-paths.ts';

/** Creates the sink that maps rows to records. */
export function createRecordSink(
  mapping: FieldMapping & { readonly codec: IdCodec },
  { projection, slotsOf, onMissingValue }: RowSlots,
): RowSink<readonly CanonicalRecord[]> {
  const pathsOf = slotPaths(projection, mapping, slotsOf);
  const map = compileMapping(mapping.map, mapping.fields, mapping.codec, CHECKED, pathsOf, true);
  let records: CanonicalRecord[] = [];
  const onMissingInRow: OnMissingValue = (field, reason, found) =>
    onMissingValue(field, reason, found, records.length);
  return {
    begin() {
      records = [];
    },
    add() {
      const record = map(null, onMissingInRow);
      if (record === undefined) return false;
      records.push(record);
      return true;
    },
    take() {
      const taken = records;
      records = [];
      return taken;
    },
  };
}
