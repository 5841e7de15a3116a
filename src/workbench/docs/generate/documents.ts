import { adminOpenapi } from '../../../admin/api/openapi.ts';
import * as z from 'zod';
import { gatewaySchema } from '../../../config/schema/gateway.ts';
import { sourceSchema } from '../../../config/schema/source.ts';
import { configReference } from '../reference.ts';
import { alertRules } from '../../../telemetry/conditions/conditions.ts';
import { openapiDocument } from '../../../contract/openapi.ts';

/**
 * The JSON Schema of one kind of configuration file, for completion and checks in editors.
 * @internal
 */
export function configJsonSchema(kind: 'gateway' | 'source'): unknown {
  const schema = kind === 'gateway' ? gatewaySchema : sourceSchema;
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** The generated documents: the path of the committed copy, and the function that makes it. */
export const documents: Readonly<Record<string, () => unknown>> = {
  'config/alerts.yaml': alertRules,
  'config/openapi.json': openapiDocument,
  'config/operator-openapi.json': adminOpenapi,
  'config/portico.schema.json': () => configJsonSchema('gateway'),
  'config/source.schema.json': () => configJsonSchema('source'),
  'config/docs/reference.md': configReference,
};

/** The text of a generated document: JSON, or a text as it is. */
export function documentText(make: () => unknown): string {
  const document = make();
  return typeof document === 'string' ? document : `${JSON.stringify(document, null, 2)}\n`;
}
