// Keeps the credentials of a service out of the draft of `infer`: each becomes the name of an environment variable.

import { isSecretName } from '../../../config/yaml/hide-secrets.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';

/** Credentials, by the environment variable that replaces them in the draft. */
export type Secrets = {
  /**
   * Returns the reference that replaces a value: `${SHOP_TOKEN}`. Equal values get the same name, unless `isApart` is set:
   * a user name and a password may be equal today, but not tomorrow.
   */
  hide(value: string, what: string, isApart?: boolean): string;
  readonly variables: Readonly<Record<string, string>>;
  /** Puts the values back into a part of the draft, as reading the source file does. */
  reveal<T>(part: T): T;
};

/** A text as it may stand in the name of an environment variable. */
export const variableName = (text: string) =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');

/** Creates the credentials of a source. `prefix` begins each variable's name. */
export function createSecrets(prefix: string): Secrets {
  const variables: Record<string, string> = {};
  return {
    variables,
    hide(value, what, isApart = false) {
      const base = `${variableName(prefix)}_${variableName(what)}`;
      const same = Object.entries(variables).filter(([, other]) => other === value);
      const known = same.find(([name]) => !isApart || name === base)?.[0];
      if (known !== undefined) return `\${${known}}`;
      let name = base;
      for (let count = 2; name in variables; count += 1) name = `${base}_${count}`;
      variables[name] = value;
      return `\${${name}}`;
    },
    reveal(part) {
      const reveal = (text: string) =>
        Object.entries(variables).reduce(
          (revealed, [name, value]) => revealed.replaceAll(`\${${name}}`, () => value),
          text,
        );
      return mapTexts(part, reveal);
    },
  };
}

/**
 * How likely a header with this name is the credential: the lower the number, the likelier. Only one becomes `auth`; a public id
 * beside a secret must not take its place.
 */
export function secretRank(name: string): number {
  if (/^authorization$/i.test(name)) return 0;
  if (isSecretName(name) || /key$/i.test(name)) return 1;
  return /(?:^|[-_])(?:id|user|account)$/i.test(name) ? 3 : 2;
}
