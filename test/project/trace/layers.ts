/** The request header that asks for a trace and names it. */
export const TRACE_HEADER = 'x-trace-name';

/** A function that a request entered, and where it stands in its file: many have no name of their own. */
export type Entry = { readonly path: string; readonly name: string; readonly at: number };

/** What the traced process sends once a request is over. */
export type TraceMessage = { readonly name: string; readonly entries: readonly Entry[] };

/** A stay in a layer: the functions entered there, one after the other, before one of another layer was. */
export type Stay = { readonly layer: string; readonly entries: readonly Entry[] };

type Moves = { readonly changes: number; readonly climbs: number };

/** What a request did: counted by functions, and by every call of one. */
export type Route = Moves & {
  readonly functions: number;
  readonly files: number;
  readonly everyCall: Moves & { readonly calls: number };
  readonly stays: readonly Stay[];
};

/** What everybody may call at any time without being counted: clock, metrics, log and errors. */
const UNCOUNTED = /^src\/(?:kernel\/errors|admin|telemetry)\/|\b(?:clock|metrics|log)\b/;

/** A layer: a first-level entry of `src`. */
const layerOf = ({ path }: Entry) => path.split('/').slice(0, 2).join('/');

/** What an eslint.config.js says of its layers. */
export type LintConfig = { readonly levels?: readonly (readonly { readonly layer: string }[])[] };

/** The level of each layer, 0 the lowest, from the table `levels` that an eslint.config.js exports. */
export function levelsOf({ levels }: LintConfig): ReadonlyMap<string, number> {
  if (levels === undefined) throw new Error('eslint.config.js has no table `levels` of layers');
  return new Map(
    levels.flatMap((layers, level) => layers.map(({ layer }) => [`src/${layer}`, level] as const)),
  );
}

/** Entries in a row that are of one layer. */
function staysOf(entries: readonly Entry[]): readonly Stay[] {
  const stays: { layer: string; entries: Entry[] }[] = [];
  for (const entry of entries) {
    const layer = layerOf(entry);
    const last = stays.at(-1);
    if (last?.layer === layer) last.entries.push(entry);
    else stays.push({ layer, entries: [entry] });
  }
  return stays;
}

/** Changes of layer and, of these, the climbs to a higher level. */
function movesOf(stays: readonly Stay[], levels: ReadonlyMap<string, number>): Moves {
  const climbed = stays.map(({ layer }) => {
    const level = levels.get(layer);
    if (level === undefined) throw new Error(`eslint.config.js has no level for ${layer}`);
    return level;
  });
  const climbs = climbed.filter((level, index) => index > 0 && level > (climbed[index - 1] ?? level));
  return { changes: Math.max(0, stays.length - 1), climbs: climbs.length };
}

/**
 * Follows a request through the layers, by the functions that it entered, in order. A return is not seen: the way back
 * counts once the caller enters its next function. A change is an entry in another layer than the one before; it is a
 * climb where the new layer is on a higher level. Counted like that is the first entry of each function, because that is
 * what somebody reads who follows the request; `everyCall` counts each entry.
 */
export function followLayers(entries: readonly Entry[], levels: ReadonlyMap<string, number>): Route {
  const calls = entries.filter(({ path }) => !UNCOUNTED.test(path));
  const idOf = ({ path, at }: Entry) => `${path} ${String(at)}`;
  const first = new Map(calls.toReversed().map((entry) => [idOf(entry), entry]));
  const functions = calls.filter((entry) => first.get(idOf(entry)) === entry);
  const stays = staysOf(functions);
  return {
    functions: functions.length,
    files: new Set(functions.map(({ path }) => path)).size,
    ...movesOf(stays, levels),
    everyCall: { calls: calls.length, ...movesOf(staysOf(calls), levels) },
    stays,
  };
}
