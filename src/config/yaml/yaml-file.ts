// Parses YAML files and remembers the position of each key, so that each problem can name its line.

import {
  Composer,
  type CST,
  type ErrorCode,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Document,
  visit,
  type YAMLError,
  YAMLParseError,
} from 'yaml';
import { readTokens } from './alias-bounds.ts';
import { exactValue } from './exact-value.ts';
import { pathText, type Problem } from './problem.ts';
import { type Environment, substitute, type Substituted } from './substitute.ts';
import { followAlias, isMerge, mergeSources, pairsOf } from './yaml-merge.ts';

/** A configuration file: its name and its text. */
export type FileText = { readonly file: string; readonly text: string };

/** A parsed YAML file that knows the position of each key. */
export type YamlFile = ReturnType<typeof parseYamlFile>;

type Path = readonly PropertyKey[];

/**
 * The offset of the node at `path`, or of the last node on the way to it that exists. If `ofKey`, it is the offset of the
 * key, else of the value. A value inside of an alias or a merge has its position below the anchor.
 */
function offsetOf(document: Document, path: readonly PropertyKey[], ofKey: boolean): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  path.forEach((key, depth) => {
    const container = followAlias(document, node);
    if (isMap(container)) {
      const pair = pairsOf(document, container).find((item) => String(item.key) === String(key));
      const wanted = ofKey && depth === path.length - 1 ? pair?.key : (pair?.value ?? pair?.key);
      if (isNode(wanted)) offset = wanted.range?.[0] ?? offset;
      node = pair?.value;
    } else if (isSeq(container)) {
      node = container.get(key, true);
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    } else {
      node = undefined;
    }
  });
  return offset;
}

/** The value of a document, with aliases (`*name`) and merges (`<<: *name`) resolved; `undefined` if it is unreadable. */
function contentOf(
  document: Document,
  report: (offset: number | undefined, message: string) => void,
): unknown {
  let isValid = document.errors.length === 0;
  visit(document, {
    Alias(_key, alias) {
      if (followAlias(document, alias) !== undefined) return;
      isValid = false;
      report(alias.range?.[0], 'an alias without an anchor before it; a text that starts with * is quoted');
    },
    Pair(_key, pair) {
      if (!isMerge(pair) || mergeSources(document, pair) !== undefined) return;
      isValid = false;
      const { key } = pair;
      report(isNode(key) ? key.range?.[0] : undefined, '<< takes a map, or a list of maps: <<: *name');
    },
    Map(_key, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          isValid = false;
          report(key.range?.[0], 'Map keys must be unique');
        }
        known.add(key.value);
      }
    },
  });
  if (!isValid) return undefined;
  try {
    // `readTokens` has already limited what aliases bring in.
    return document.toJS({ maxAliasCount: -1 });
  } catch {
    report(undefined, 'its aliases or merges cannot be followed');
    return undefined;
  }
}

/** Replacements for messages of the parser that quote a part of the text, which may be secret. */
const UNQUOTED: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: 'a malformed directive; a text that starts with % is quoted',
  BAD_DQ_ESCAPE: 'an unknown escape in a double-quoted text',
  TAG_RESOLVE_FAILED: 'an unknown tag; a text that starts with ! is quoted',
};

/** The parser's message about a mistake, without the quoted text. */
function describeError({ code, message }: YAMLError): string {
  return UNQUOTED[code] ?? message.replace(/: .*$/s, '');
}

/** Makes the document of tokens. `parseDocument` is not used, because it would read the tokens once more. */
function documentOf(tokens: readonly CST.Token[], length: number): Document {
  const options = {
    // The composer would compare each key with all others of its map. `contentOf` does it faster, with a set.
    uniqueKeys: false,
    version: '1.2',
    merge: true,
    // Warnings would be written to standard error, and they quote the text.
    logLevel: 'error',
  } as const;
  const [document, second] = new Composer(options).compose(tokens, true, length);
  if (document === undefined) throw new Error('the composer made no document');
  if (second !== undefined)
    document.errors.push(
      new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', 'more than one document'),
    );
  return document;
}

/**
 * Parses a YAML text and replaces its references; without an environment, nothing is replaced. Syntax errors and unset
 * variables are added to `problems`. After a syntax error, the content is `undefined`.
 */
export function parseYamlFile(file: string, text: string, env: Environment | undefined, problems: Problem[]) {
  const lines = new LineCounter();
  const { tokens, excess } = readTokens(text, lines.addNewLine);
  const document = documentOf(tokens, text.length);

  function problemOn(offset: number | undefined, path: string, message: string, hint?: string): Problem {
    const place = offset === undefined ? undefined : lines.linePos(offset);
    const position = place === undefined ? {} : { line: place.line, column: place.col };
    return { file, ...position, path, message, ...(hint === undefined ? {} : { hint }) };
  }

  const firstUnexpected = document.errors.find(({ code }) => code === 'UNEXPECTED_TOKEN');
  for (const mistake of [...document.errors, ...document.warnings]) {
    // After the first unexpected token the parser reports every token that follows.
    if (mistake.code === 'UNEXPECTED_TOKEN' && mistake !== firstUnexpected) continue;
    problems.push(problemOn(mistake.pos[0], '', describeError(mistake)));
  }
  const nothing: Substituted = { unresolved: [], references: [] };
  const { unresolved: unset, references } = env === undefined ? nothing : substitute(document, env);
  for (const { offset, message, hint } of unset) {
    problems.push(problemOn(offset, '', message, hint));
  }
  const report = (offset: number | undefined, message: string) =>
    problems.push(problemOn(offset, '', message));
  if (excess !== undefined) report(excess.offset, excess.message);
  const content = excess === undefined ? contentOf(document, report) : undefined;
  return {
    file,
    /** The content with secrets filled in. It is a function, so that printing the object does not print secrets. */
    content: () => content,
    /** The text as it was read, with references not replaced. It is a function, because constants may be secret, too. */
    text: () => text,
    /** The value at a path, with the digits of its numbers as written. */
    exactAt: (path: Path) => exactValue(document, path),
    /** The value at a path as it may be displayed: each value from the environment is `***`. */
    maskedAt: (path: Path) => exactValue(document, path, true),
    /** Whether the value at a path has a reference without a value, which is already reported. */
    isUnset: (path: Path) => unset.some(({ offset }) => offset === offsetOf(document, path, false)),
    /** The variables that the value at a path came from. */
    variablesAt: (path: Path) =>
      references.filter(({ offset }) => offset === offsetOf(document, path, false)),
    /** Makes a problem with the line and the column of a path of keys. */
    problemAt: (path: Path, message: string, hint?: string): Problem =>
      problemOn(offsetOf(document, path, message.startsWith('unknown key')), pathText(path), message, hint),
  };
}
