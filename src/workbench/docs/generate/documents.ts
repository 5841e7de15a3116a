// The documents that `portico generate` writes, such as OpenAPI, JSON Schemas and alerts, with the function that makes each.

import { readFileSync } from 'node:fs';
import { adminOpenapi } from '../../../admin/api/openapi.ts';
import * as z from 'zod';
import { gatewaySchema } from '../../../config/schema/gateway.ts';
import { sourceSchema } from '../../../config/schema/source.ts';
import { configReference } from '../reference.ts';
import { alertRules } from '../../../telemetry/conditions/conditions.ts';
import { contractSchema } from '../../../contract/contract-schema.ts';
import { openapiDocument } from '../../../contract/openapi.ts';
import { builtInContract } from '../../../contract/reference-contract.ts';

/** The names of the resources of the built-in contract. */
const names = [...builtInContract().resources.keys()];

const SCHEMAS = { gateway: gatewaySchema, source: sourceSchema, contract: contractSchema };
/** A kind of file of a configuration. */
export type ConfigFileKind = keyof typeof SCHEMAS;
/** The kinds of configuration files, each of which has a JSON Schema. */
export const configFileKinds = Object.keys(SCHEMAS) as readonly ConfigFileKind[];

type JsonSchemaObject = Record<string, unknown>;

/** The pattern of the start of a reference, such as `${PORT}`. */
const REFERENCE = String.raw`\$\{`;

/** Lets a text of a certain form, or one out of several, be a reference such as `${PORT:-8080}`, too. */
function allowReferences({ jsonSchema }: { readonly jsonSchema: JsonSchemaObject }): void {
  const { type, pattern, enum: words } = jsonSchema;
  if (type !== 'string') return;
  // A schema that wraps another one already has the pattern of that one.
  if (typeof pattern === 'string' && !pattern.endsWith(REFERENCE))
    jsonSchema['pattern'] = `${pattern}|${REFERENCE}`;
  if (words === undefined) return;
  delete jsonSchema['enum'];
  jsonSchema['anyOf'] = [{ enum: words }, { pattern: REFERENCE }];
}

/**
 * The JSON Schema of one kind of configuration file, for completion and checks in editors; `resources` are those of the
 * contract.
 */
export function configJsonSchema(kind: ConfigFileKind, resources: readonly string[]): unknown {
  const schema = z.toJSONSchema(SCHEMAS[kind], {
    io: 'input',
    unrepresentable: 'any',
    // A contract has no references.
    ...(kind === 'contract' ? {} : { override: allowReferences }),
  });
  // Names are limited to those of the contract, so that an editor shows a mistake at any other name.
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const {
      perResource,
      additionalProperties,
      propertyNames: _,
      ...rest
    } = (value ?? {}) as JsonSchemaObject;
    if (perResource !== true) return value;
    const properties = Object.fromEntries(resources.map((name) => [name, additionalProperties]));
    return { ...rest, properties, additionalProperties: false };
  });
}

const copyOf = (file: string) => () => readFileSync(file, 'utf8');

/** The generated documents: the path of the committed copy, and the function that makes it. */
export const documents: Readonly<Record<string, () => unknown>> = {
  'config/alerts.yaml': alertRules,
  // A chart reads no file outside of its folder.
  'config/helm/portico/files/alerts.yaml': alertRules,
  'config/helm/portico/files/alertmanager.yaml': copyOf('config/prometheus/alertmanager.yaml'),
  'config/helm/portico/files/portico.json': copyOf('config/grafana/portico.json'),
  'config/openapi.json': () => openapiDocument(builtInContract()),
  'config/contract.schema.json': () => configJsonSchema('contract', []),
  'config/operator-openapi.json': adminOpenapi,
  'config/portico.schema.json': () => configJsonSchema('gateway', names),
  'config/source.schema.json': () => configJsonSchema('source', names),
  'config/docs/reference.md': configReference,
};

/** The text of a generated document: JSON, or a text as it is. */
export function documentText(make: () => unknown): string {
  const document = make();
  return typeof document === 'string' ? document : `${JSON.stringify(document, null, 2)}\n`;
}
