import type { Projection } from '../../../kernel/json/projection.ts';
import type { OnMissingValue } from '../map/map-record.ts';
import type { JsonSink } from './json-sink.ts';

/** What values are read from and written to. */
export type WriteContext = {
  readonly projection: Projection;
  readonly sink: JsonSink;
  readonly onMissingValue: OnMissingValue;
};

/** Writes the value that the current row has for a field: false for `null`, `undefined` if the contract refuses it. */
export type WriteValue = () => boolean | undefined;
