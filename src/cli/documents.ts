import { z } from 'zod';
import { gatewaySchema } from '../config/gateway-schema.ts';
import { sourceSchema } from '../config/source-schema.ts';
import { openapiDocument } from '../contract/openapi.ts';

/** Where the committed copy of each generated document stands, and how it is made. */
export const documents: Readonly<Record<string, () => unknown>> = {
  'src/contract/openapi.json': openapiDocument,
  'config/portico.schema.json': () => configSchema(gatewaySchema, 'portico.yaml'),
  'config/source.schema.json': () => configSchema(sourceSchema, 'sources/*.yaml'),
};

/** What an editor needs to complete and check a configuration file. */
function configSchema(schema: z.ZodType, title: string): unknown {
  return { title, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}

/** The text of a generated document. */
export function documentText(make: () => unknown): string {
  return `${JSON.stringify(make(), null, 2)}\n`;
}

/** The OpenAPI document as it is served. */
export function servedOpenapi(): Buffer {
  return Buffer.from(JSON.stringify(openapiDocument()));
}
