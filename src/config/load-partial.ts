import * as z from 'zod';
import type { FileText } from './load.ts';
import { admin } from './schema/access.ts';
import { type GatewayConfig, state } from './schema/gateway.ts';
import type { Environment } from './yaml/substitute.ts';
import { parseYamlFile } from './yaml/yaml-file.ts';

/** Parts of a gateway file that can be used although others are broken; `undefined` where one is broken itself. */
export type UsableSections = {
  readonly admin: GatewayConfig['admin'] | undefined;
  readonly state: GatewayConfig['state'] | undefined;
};

const parts = z.looseObject({ admin: z.unknown().optional(), state: z.unknown().optional() });

/** Reads what is usable of a gateway file. A file that is no YAML has nothing. */
export function loadUsableSections({ file, text }: FileText, env: Environment): UsableSections {
  const found = parts.safeParse(parseYamlFile(file, text, env, []).content()).data;
  if (found === undefined) return { admin: undefined, state: undefined };
  return {
    admin: admin.safeParse(found.admin ?? {}).data,
    state: state.safeParse(found.state ?? {}).data,
  };
}
