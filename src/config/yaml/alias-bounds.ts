// Refuses YAML texts that a few lines of aliases make huge, before the parser resolves them.

import { CST, Parser } from 'yaml';

/** The largest text that is read. Files written by hand are a hundred times smaller, recorded cases ten times. */
const CHARACTERS_MAX = 4 * 1024 ** 2;
const ALIASES_MAX = 1_000;
/** The most nodes that all aliases and merges of a file may bring in. */
const COPIES_MAX = 200_000;
const DEPTH_MAX = 100;

/** The limit that a text exceeds, and the offset in the text. */
type Excess = { readonly message: string; readonly offset?: number };

/** The tokens of a YAML text; there are none if it exceeds a limit. */
export type YamlTokens = { readonly tokens: readonly CST.Token[]; readonly excess: Excess | undefined };

/** Reads the tokens of a YAML text. `onNewLine` gets the offset of each line. */
export function readTokens(text: string, onNewLine: (offset: number) => void): YamlTokens {
  const isLong = text.length > CHARACTERS_MAX;
  if (isLong) return { tokens: [], excess: { message: `it has more than ${CHARACTERS_MAX} characters` } };
  const tokens = [...new Parser(onNewLine).parse(text)];
  const excess = excessOf(tokens);
  return { tokens: excess === undefined ? tokens : [], excess };
}

/**
 * Finds the first limit that tokens exceed; `undefined` if they exceed none. It counts them before aliases are resolved,
 * because aliases of aliases and merges of merges grow exponentially, and each alias takes time to find.
 */
function excessOf(tokens: readonly CST.Token[]): Excess | undefined {
  /** By anchor: its number of nodes, with those that its aliases bring in; `undefined` until its end is reached. */
  const sizes = new Map<string, number | undefined>();
  let [aliases, copies] = [0, 0];
  let excess: Excess | undefined;

  function sizeOfAlias({ source, offset }: CST.FlowScalar): number {
    const name = source.slice(1);
    const size = sizes.get(name) ?? 0;
    aliases += 1;
    copies += size;
    if (sizes.has(name) && sizes.get(name) === undefined)
      excess ??= { offset, message: 'its aliases expand to themselves' };
    else if (aliases > ALIASES_MAX) excess ??= { offset, message: `it has more than ${ALIASES_MAX} aliases` };
    else if (copies > COPIES_MAX)
      excess ??= { offset, message: `its aliases and merges bring in more than ${COPIES_MAX} values` };
    return size;
  }

  /** The number of nodes of a token; `before` are the tokens in front of it, one of which may be its anchor. */
  function sizeOf(
    before: readonly CST.SourceToken[],
    token: CST.Token | null | undefined,
    depth: number,
  ): number {
    const anchor = before.find(({ type }) => type === 'anchor')?.source.slice(1);
    if (anchor !== undefined) sizes.set(anchor, undefined);
    const size = sizeWithin(token, depth);
    if (anchor !== undefined) sizes.set(anchor, size);
    return size;
  }

  function sizeWithin(token: CST.Token | null | undefined, depth: number): number {
    if (token?.type === 'alias') return sizeOfAlias(token);
    if (!CST.isCollection(token)) return 1;
    if (depth > DEPTH_MAX)
      excess ??= { offset: token.offset, message: `it is nested deeper than ${DEPTH_MAX} levels` };
    let size = 1;
    for (const { start, key, sep, value } of token.items) {
      // One excess is enough, so the rest is not counted.
      if (excess !== undefined) break;
      size += sep === undefined ? 0 : sizeOf(start, key, depth + 1);
      size += sizeOf(sep ?? start, value, depth + 1);
    }
    return size;
  }

  for (const token of tokens) if (token.type === 'document') sizeOf(token.start, token.value, 0);
  return excess;
}
