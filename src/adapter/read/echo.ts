import type { ListSpec } from '../../config/schema/source.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import { pathAt } from '../path.ts';
import type { SpecLocation } from '../spec-location.ts';
import type { WindowCall } from '../plan/window.ts';

/** What a reply says that it was asked for, by the variables that asked for it. */
export type Echo = Readonly<Record<string, string>>;

/** Where the reply says so: the variable, and the key that names its path. */
const ECHOES = { page: 'page', offset: 'offset', size: 'limit' } as const;

/** Compiles the reader of what a reply says that it was asked for; what it leaves out is not there. */
export function compileEcho(window: ListSpec['window'], here: SpecLocation): (body: Json) => Echo {
  const places = 'echo' in window ? Object.entries(window.echo ?? {}) : [];
  const paths = places.map(([key, path = '']) => ({
    variable: ECHOES[key as keyof typeof ECHOES],
    find: pathAt(path, here.at('echo', key)),
  }));
  return (body) => {
    const echo: Record<string, string> = {};
    for (const { variable, find } of paths) {
      const found = find(body);
      if (found === undefined || found === null) continue;
      echo[variable] =
        found instanceof NumberText ? found.text : typeof found === 'object' ? '?' : String(found);
    }
    return echo;
  };
}

/** The variable that a reply says was another than was asked for; `undefined` where it says nothing else. */
export function brokenEcho(echo: Echo, { variables }: WindowCall): string | undefined {
  return Object.keys(echo).find(
    (name) => variables[name] !== undefined && String(variables[name]) !== echo[name],
  );
}
