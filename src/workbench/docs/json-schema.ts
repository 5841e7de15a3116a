import * as z from 'zod';
import { gatewaySchema } from '../../config/schema/gateway.ts';
import { sourceSchema } from '../../config/schema/source.ts';

/** The JSON Schema of one kind of configuration file, for completion and checks in editors. */
export function configJsonSchema(kind: 'gateway' | 'source'): unknown {
  const schema = kind === 'gateway' ? gatewaySchema : sourceSchema;
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
