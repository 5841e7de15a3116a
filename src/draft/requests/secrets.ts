import type { RequestSpec } from '../../config/schema/source.ts';

/** Credentials by the name of the variable that stands for them in the draft. */
export type Secrets = {
  /** The text that stands for a value: `${SHOP_TOKEN}`. The same value gets the same name. */
  hide(value: string, what: string): string;
  readonly variables: Readonly<Record<string, string>>;
  /** A request with the values in place of their names, as a source file has them once it is read. */
  reveal(request: RequestSpec): RequestSpec;
};

const variableName = (text: string) =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_+/, '')
    .replace(/_+$/, '');

/** The texts of a tree, each made into another. */
function mapTexts(tree: unknown, make: (text: string) => string): unknown {
  if (typeof tree === 'string') return make(tree);
  if (Array.isArray(tree)) return tree.map((one) => mapTexts(one, make));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, mapTexts(value, make)]));
}

/** Keeps the credentials of a service apart from what is written. `prefix` is the name of the source. */
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

/** Whether a parameter, header or key of a body is called like a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
