// Compiles the paths of source files, such as `reply.rows[0].id`, which find values in the documents of a source.

import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';
import { compileOneOf, type Literal } from './literal.ts';
import type { SpecLocation } from './spec-location.ts';

/** Finds a value in a document; `undefined` if it is absent. */
export type Path = (document: Json) => Json | undefined;

/**
 * Thrown by `compilePath` for a text that is not a path.
 * @internal
 */
export class PathError extends Error {}

/** One step of a path. `key` is set if the step reads a key of an object. */
type Step = { readonly find: (value: Json) => Json | undefined; readonly key?: string };

const KEY = String.raw`[A-Za-z_@$][\w@$-]*`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const STEP = new RegExp(
  String.raw`(?:^|(?!^)\.)(?:(${KEY})|(${QUOTED}))|\[(-?\d{1,6})\]|\[\?(${KEY}|${QUOTED})==(${QUOTED}|-?\d{1,15}|true|false|null)\]`,
  'y',
);
/** A quoted key (in which ` | ` is text), a divider between alternatives, or any other character. */
const TOKEN = new RegExp(`${QUOTED}|\\s\\|\\s|[^]`, 'g');

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text;
}

/** The quoted keys of a path, without their quotes. They may be any texts. */
export function quotedKeys(text: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(QUOTED, 'g')), ([quoted]) => unquote(quoted));
}

/** Reads a key of an object. A name that objects inherit, such as "constructor", is read only if it is an own key. */
function entryReader(key: string): (object: JsonObject) => Json | undefined {
  if (key in Object.prototype) return (object) => (Object.hasOwn(object, key) ? object[key] : undefined);
  return (object) => object[key];
}

function keyStep(key: string): Step {
  const read = entryReader(key);
  return { key, find: (value) => (isObject(value) ? read(value) : undefined) };
}

function indexStep(index: number): Step {
  return { find: (value) => (Array.isArray(value) ? (value as readonly Json[]).at(index) : undefined) };
}

function selectStep(key: string, literal: Literal): Step {
  const fits = compileOneOf([literal]);
  const read = entryReader(key);
  return {
    find: (value) =>
      Array.isArray(value)
        ? (value as readonly Json[]).find((item) => isObject(item) && fits(read(item)))
        : undefined,
  };
}

function readSteps(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null)
      throw new PathError(
        `"${text}" is not a path: expected keys, "quoted keys", [n] and [?key=="value"], joined by points`,
      );
    const [whole, key, quoted, index, selected, literal] = match;
    if (index !== undefined) steps.push(indexStep(Number(index)));
    else if (selected !== undefined && literal !== undefined) {
      steps.push(
        selectStep(
          unquote(selected),
          literal.startsWith('"') ? unquote(literal) : (JSON.parse(literal) as Literal),
        ),
      );
    } else steps.push(keyStep(key ?? unquote(quoted ?? '')));
    at += whole.length;
  }
  return steps;
}

function splitAlternatives(text: string): readonly string[] {
  const alternatives: string[] = [];
  let alternative = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s\|\s$/.test(token)) {
      alternatives.push(alternative);
      alternative = '';
    } else alternative += token;
  }
  return [...alternatives, alternative];
}

function compileOne(text: string): Path {
  const steps = readSteps(text).map(({ find }) => find);
  const [only] = steps;
  if (only !== undefined && steps.length === 1) return only;
  return function find(document) {
    let value: Json | undefined = document;
    for (const step of steps) {
      value = step(value);
      if (value === undefined) return undefined;
    }
    return value;
  };
}

/**
 * Compiles a path: keys joined by dots (`reply.rows`), keys with odd characters in double quotes (`"odd key".x`), indexes
 * (`emails[0]`, `[-1]` for the last), and the first item of a list with a value (`emails[?type=="work"].value`). The empty path
 * is the document itself. ` | ` separates alternatives: the first one that finds a value other than null counts.
 * @throws PathError
 */
export function compilePath(text: string): Path {
  const alternatives = splitAlternatives(text).map((alternative) => compileOne(alternative.trim()));
  const [only] = alternatives;
  if (only !== undefined && alternatives.length === 1) return only;
  return function findFirst(document) {
    let found: Json | undefined;
    for (const find of alternatives) {
      const value = find(document);
      if (value !== undefined && value !== null) return value;
      found = found === undefined ? value : found;
    }
    return found;
  };
}

/** The steps of each alternative of a path; `undefined` if the path is invalid. */
function stepsOf(text: string): readonly (readonly Step[])[] | undefined {
  try {
    return splitAlternatives(text).map((alternative) => readSteps(alternative.trim()));
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** The keys of a path, outermost first; `undefined` if the path is invalid or does not consist of keys alone. */
export function keysOfPath(text: string): readonly string[] | undefined {
  const [only, ...others] = stepsOf(text) ?? [];
  const keys = only?.map(({ key }) => key);
  return others.length === 0 && keys?.every((key) => key !== undefined) === true ? keys : undefined;
}

/**
 * Compiles the test if a document has the keys that a path begins with. It fails only if an object lacks one of them, not if
 * `null` or another value stands in place of an object. An invalid path passes the test, because it is reported elsewhere.
 */
export function compilePresence(text: string): (document: Json) => boolean {
  const alternatives = stepsOf(text) ?? [[]];
  return (document) =>
    alternatives.some((steps) => {
      let value: Json | undefined = document;
      for (const { key } of steps) {
        if (key === undefined || !isObject(value)) return true;
        if (!Object.hasOwn(value, key)) return false;
        value = value[key];
      }
      return true;
    });
}

const PLAIN = new RegExp(`^${KEY}$`);

/** Quotes a text for a path. */
export function quotedInPath(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** Appends a key to a path. */
export function pathWith(path: string, key: string): string {
  const step = PLAIN.test(key) ? key : quotedInPath(key);
  return path === '' ? step : `${path}.${step}`;
}

/** Compiles a path of a source file. An invalid path is reported, and finds nothing. */
export function pathAt(text: string, here: SpecLocation): Path {
  try {
    return compilePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    here.report(error.message);
    return () => undefined;
  }
}
