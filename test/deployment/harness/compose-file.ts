import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A service of docker-compose.yml, as far as a test looks at it. */
export type ComposeService = {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly healthcheck: { readonly test: readonly string[] };
};

/** The file for the passwords that the example becomes when each line is filled in. */
export function filledExample(): Readonly<Record<string, string>> {
  const example = readFileSync('config/compose.env.example', 'utf8');
  const names = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => [name, `filled-in-for-${name.toLowerCase().replaceAll('_', '-')}`]),
  );
}

/** The services with their variables replaced, as Compose does it. @throws Error where one must be set and is not */
export function readCompose(env: Readonly<Record<string, string>>): Readonly<Record<string, ComposeService>> {
  const text = readFileSync('docker-compose.yml', 'utf8').replaceAll(/^\s*#.*$/gm, '');
  const replaced = text.replaceAll(
    /\$\{([A-Z_]+):([-?])([^}]*)\}/g,
    (_all, name: string, kind: string, rest: string) => {
      const value = env[name];
      if (value !== undefined && value !== '') return value;
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return rest;
    },
  );
  return (parse(replaced, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

/** The variables of a service that are set. */
export const environmentOf = ({ environment = {} }: ComposeService): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
