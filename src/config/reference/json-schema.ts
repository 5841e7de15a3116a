import * as z from 'zod';
import { gatewaySchema } from '../schema/gateway.ts';
import { sourceSchema } from '../schema/source.ts';

/** The JSON Schema of one kind of configuration file, for completion and checks in editors. */
export function configJsonSchema(kind: 'gateway' | 'source'): unknown {
  const schema = kind === 'gateway' ? gatewaySchema : sourceSchema;
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
