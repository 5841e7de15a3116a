import type { RequestSpec } from '../../config/schema/source.ts';

/** Credentials, by the environment variable that replaces them in the draft. */
export type Secrets = {
  /** Returns the reference that replaces a value: `${SHOP_TOKEN}`. Equal values get the same name. */
  hide(value: string, what: string): string;
  readonly variables: Readonly<Record<string, string>>;
  /** Puts the values back into a request, as reading the source file does. */
  reveal(request: RequestSpec): RequestSpec;
};

const variableName = (text: string) =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_+/, '')
    .replace(/_+$/, '');

/** Maps each text of a tree. */
function mapTexts(tree: unknown, make: (text: string) => string): unknown {
  if (typeof tree === 'string') return make(tree);
  if (Array.isArray(tree)) return tree.map((one) => mapTexts(one, make));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, mapTexts(value, make)]));
}

/** Creates the credentials of a source. `prefix` begins each variable's name. */
export function createSecrets(prefix: string): Secrets {
  const variables: Record<string, string> = {};
  return {
    variables,
    hide(value, what) {
      const known = Object.entries(variables).find(([, other]) => other === value)?.[0];
      if (known !== undefined) return `\${${known}}`;
      const base = `${variableName(prefix)}_${variableName(what)}`;
      let name = base;
      for (let count = 2; name in variables; count += 1) name = `${base}_${count}`;
      variables[name] = value;
      return `\${${name}}`;
    },
    reveal(request) {
      const values = Object.entries(variables);
      if (values.length === 0) return request;
      const make = (text: string) =>
        values.reduce((made, [name, value]) => made.replaceAll(`\${${name}}`, () => value), text);
      return mapTexts(request, make) as RequestSpec;
    },
  };
}

const SECRET_NAME =
  /^(?:.*(?:token|secret|password|passwd|pwd|apikey|api_key|api-key|access_key|signature|credential).*|key|sig|auth|consumer_key|code|uid_token|session(?:_?id)?|sid)$/i;

/** Whether the name of a parameter, header or key suggests a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
