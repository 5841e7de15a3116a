import type { DecodeSpec } from './source-schema.ts';

/** Content types that are read where a source names none. */
const BY_FORMAT: Readonly<Record<DecodeSpec['format'], readonly string[]>> = {
  json: ['application/json'],
  xml: ['application/xml', 'text/xml', 'application/soap+xml'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/jsonl'],
};

/** The content types a source's bodies may have: asked for in `Accept`, and all that is read. */
export function contentTypesOf({ format, contentTypes }: DecodeSpec): readonly string[] {
  return contentTypes ?? BY_FORMAT[format];
}
