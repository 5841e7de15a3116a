import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { compileMapping } from '../map/map-record.ts';
import { CHECKED } from '../spec/spec-location.ts';
import type { CurrentRow, RowMapping, RowSink } from './list-program.ts';
import { slotPaths } from './slot-paths.ts';

/** Creates the sink that maps the rows of a list program to records in memory. */
export function createRecordSink(
  mapping: RowMapping,
  { projection, slotsOf, onMissingValue }: CurrentRow,
): RowSink<readonly CanonicalRecord[]> {
  const pathsOf = slotPaths(projection, mapping, slotsOf);
  const map = compileMapping(mapping.map, mapping.fields, mapping.codec, CHECKED, pathsOf);
  let records: CanonicalRecord[] = [];
  return {
    begin() {
      records = [];
    },
    add() {
      const record = map(null, onMissingValue);
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
