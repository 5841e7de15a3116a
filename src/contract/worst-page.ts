// Refuses a contract whose lists could make an answer too large for the memory of the gateway.

import type { ReportContractProblem } from './contract-schema.ts';
import type { Field, FieldKind, ListShape } from './fields.ts';
import type { Resource } from './resource.ts';

/** The largest answer that a contract allows unless it says otherwise (`pages.bytes`). */
const BYTES_MAX = 16 * 1024 ** 2;

/** The assumed size of a text, because the contract sets no limit for texts. */
const TEXT_BYTES = 32;

/** The bytes of a value of each kind in JSON. */
const VALUE_BYTES: Readonly<Record<Exclude<FieldKind, 'enum' | 'list'>, number>> = {
  id: TEXT_BYTES,
  text: TEXT_BYTES,
  reference: TEXT_BYTES,
  integer: 16,
  decimal: 16,
  boolean: 5,
  datetime: 26,
  date: 12,
};

/** The bytes that JSON needs around a value: its quoted name, a colon and a comma. */
const framed = ({ name }: Field) => name.length + 4;

function valueBytes({ kind, values = [], list }: Field): number {
  if (list !== undefined) return list.max * elementBytes(list);
  if (kind === 'enum') return 2 + Math.max(...values.map((value) => Buffer.byteLength(value)));
  return kind === 'list' ? 0 : VALUE_BYTES[kind];
}

/** The bytes of an element of a list, with its comma. */
function elementBytes({ of }: ListShape): number {
  return 1 + ('kind' in of ? valueBytes(of) : recordBytes(of));
}

function recordBytes(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + framed(field) + valueBytes(field), 2);
}

const inMiB = (bytes: number) => `${Math.ceil((bytes / 1024 ** 2) * 10) / 10} MiB`;

/** The largest answer of one endpoint. */
type Answer = { readonly records: number; readonly fields: readonly Field[] };

function reportExcess(
  { name, itemFields }: Resource,
  { records, fields }: Answer,
  limit: number,
  report: ReportContractProblem,
): void {
  const each = recordBytes(fields);
  const [longest] = fields
    .filter(({ list }) => list !== undefined)
    .toSorted((a, b) => valueBytes(b) - valueBytes(a));
  const elements =
    longest?.list && Math.floor((limit / records - each + valueBytes(longest)) / elementBytes(longest.list));
  const size = Math.floor(limit / each);
  const hints = [
    ...(longest !== undefined && elements !== undefined && elements > 0
      ? [`max: ${elements} for ${longest.name}`]
      : []),
    ...(records > 1 && size > 0 ? [`pages: { max: ${size} }`] : []),
  ];
  const view = longest !== undefined && !itemFields.includes(longest) ? 'single' : 'fields';
  report(
    ['resources', name, ...(longest === undefined ? ['pages'] : [view, ...longest.path, 'max'])],
    `${records === 1 ? 'a record' : `a page of ${records} records`} with full lists has ${inMiB(records * each)}, but an answer at most ${inMiB(limit)}; each text counts as ${TEXT_BYTES} bytes`,
    `${hints.length > 0 ? hints.join(', or ') : 'a smaller max for its lists'}; or pages: { bytes: ${records * each} } for the whole contract`,
  );
}

/** Reports a resource whose largest page or largest single record has more bytes than the contract allows. */
export function checkWorstPage(resource: Resource, report: ReportContractProblem): void {
  const { hasList, itemFields, detailFields, pages, spec } = resource;
  const limit = spec.pages.bytes ?? BYTES_MAX;
  const page = { records: hasList ? pages.max : 1, fields: itemFields };
  const answers: readonly Answer[] = [page, { records: 1, fields: detailFields }];
  const excessive = answers.find(({ records, fields }) => records * recordBytes(fields) > limit);
  if (excessive !== undefined) reportExcess(resource, excessive, limit, report);
}
