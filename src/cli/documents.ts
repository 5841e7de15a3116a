import { configJsonSchema } from '../config/json-schema.ts';
import { openapiDocument } from '../contract/openapi.ts';

/** Where the committed copy of each generated document stands, and how it is made. */
export const documents: Readonly<Record<string, () => unknown>> = {
  'src/contract/openapi.json': openapiDocument,
  'config/portico.schema.json': () => configJsonSchema('gateway'),
  'config/source.schema.json': () => configJsonSchema('source'),
};

/** The text of a generated document. */
export function documentText(make: () => unknown): string {
  return `${JSON.stringify(make(), null, 2)}\n`;
}

/** The OpenAPI document as it is served. */
export function servedOpenapi(): Buffer {
  return Buffer.from(JSON.stringify(openapiDocument()));
}
