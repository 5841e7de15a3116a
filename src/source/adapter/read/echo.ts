// Reads from a reply which page or offset it says that it was asked for (`window.echo` of a source file); `checks/echo.ts`
// compares.

import type { ListSpec } from '../../../config/schema/source.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';
import { pathAt } from '../spec/path.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** The page, offset or size that a reply says was requested, by the name of the variable in the request. */
export type Echo = Readonly<Record<string, string>>;

/** The variable of each key of `echo`. */
const ECHOES = { page: 'page', offset: 'offset', size: 'limit' } as const;

/** Compiles the reader of an echo; `undefined` if the file names none. Values that the reply lacks are left out. */
export function compileEcho(
  window: ListSpec['window'],
  here: SpecLocation,
): ((body: Json) => Echo) | undefined {
  const places = 'echo' in window ? Object.entries(window.echo ?? {}) : [];
  const paths = places.map(([key, path = '']) => ({
    variable: ECHOES[key as keyof typeof ECHOES],
    find: pathAt(path, here.at('echo', key)),
  }));
  if (paths.length === 0) return undefined;
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
