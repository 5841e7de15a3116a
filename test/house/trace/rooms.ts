import ts from 'typescript';
import { parseSource } from '../code/source-tree.ts';

/** The request header that asks for a trace and names it. */
export const TRACE_HEADER = 'x-trace-name';

/** A function that a request entered, and where it stands in its file: many have no name of their own. */
export type Entry = { readonly path: string; readonly name: string; readonly at: number };

/** What the traced process sends once a request is over. */
export type TraceMessage = { readonly name: string; readonly entries: readonly Entry[] };

/** A stay in a room: the functions entered there, one after the other, before one of another room was. */
export type Stay = { readonly room: string; readonly entries: readonly Entry[] };

type Moves = { readonly changes: number; readonly climbs: number };

/** What a request did: counted by functions, and by every call of one. */
export type Route = Moves & {
  readonly functions: number;
  readonly everyCall: Moves & { readonly calls: number };
  readonly stays: readonly Stay[];
};

/** What everybody may call at any time without being counted: clock, metrics, log and errors. */
const UNCOUNTED = /^src\/(?:kernel\/errors|admin|telemetry)\/|\b(?:clock|metrics|log)\b/;

/** A room: a first-level entry of `src`. */
const roomOf = ({ path }: Entry) => path.split('/').slice(0, 2).join('/');

/** The floor of each room, 0 the lowest, from the table `floors` in the text of an eslint.config.js. */
export function floorsOf(config: string): ReadonlyMap<string, number> {
  const floors = new Map<string, number>();
  function addRooms(node: ts.Node, floor: number): void {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'room' &&
      ts.isStringLiteral(node.initializer)
    )
      floors.set(`src/${node.initializer.text}`, floor);
    ts.forEachChild(node, (child) => addRooms(child, floor));
  }
  for (const statement of parseSource('eslint.config.js', config).syntax.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (
        name.getText() === 'floors' &&
        initializer !== undefined &&
        ts.isArrayLiteralExpression(initializer)
      )
        initializer.elements.forEach(addRooms);
  }
  if (floors.size === 0) throw new Error('eslint.config.js has no table `floors` of rooms');
  return floors;
}

/** Entries in a row that are of one room. */
function staysOf(entries: readonly Entry[]): readonly Stay[] {
  const stays: { room: string; entries: Entry[] }[] = [];
  for (const entry of entries) {
    const room = roomOf(entry);
    const last = stays.at(-1);
    if (last?.room === room) last.entries.push(entry);
    else stays.push({ room, entries: [entry] });
  }
  return stays;
}

/** Changes of room and, of these, the climbs to a higher floor. */
function movesOf(stays: readonly Stay[], floors: ReadonlyMap<string, number>): Moves {
  const levels = stays.map(({ room }) => {
    const level = floors.get(room);
    if (level === undefined) throw new Error(`eslint.config.js has no floor for ${room}`);
    return level;
  });
  const climbs = levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? level));
  return { changes: Math.max(0, stays.length - 1), climbs: climbs.length };
}

/**
 * Follows a request through the rooms, by the functions that it entered, in order. A return is not seen: the way back
 * counts once the caller enters its next function. A change is an entry in another room than the one before; it is a
 * climb where the new room is on a higher floor. Counted like that is the first entry of each function, because that is
 * what somebody reads who follows the request; `everyCall` counts each entry.
 */
export function followRooms(entries: readonly Entry[], floors: ReadonlyMap<string, number>): Route {
  const calls = entries.filter(({ path }) => !UNCOUNTED.test(path));
  const idOf = ({ path, at }: Entry) => `${path} ${String(at)}`;
  const first = new Map(calls.toReversed().map((entry) => [idOf(entry), entry]));
  const functions = calls.filter((entry) => first.get(idOf(entry)) === entry);
  const stays = staysOf(functions);
  return {
    functions: functions.length,
    ...movesOf(stays, floors),
    everyCall: { calls: calls.length, ...movesOf(staysOf(calls), floors) },
    stays,
  };
}
