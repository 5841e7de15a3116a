import { type Json, NumberText } from '../kernel/json.ts';

/** Finds a value in a document; `undefined` where there is none. */
export type Path = (document: Json) => Json | undefined;

/** Thrown by `compilePath` for a text that is not a path. */
export class PathError extends Error {}

type Step = string | number;

const STEP = /(?:^|(?!^)\.)(?:([A-Za-z_@$][\w@$-]*)|"((?:[^"\\]|\\.)*)")|\[(-?\d{1,6})\]/y;

function readSteps(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null)
      throw new PathError(`"${text}" is not a path: expected keys, "quoted keys" and [n], joined by points`);
    const [whole, key, quoted, index] = match;
    steps.push(index === undefined ? (key ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1')) : Number(index));
    at += whole.length;
  }
  return steps;
}

function stepInto(value: Json | undefined, step: Step): Json | undefined {
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return undefined;
  if (typeof step === 'number') return Array.isArray(value) ? (value as readonly Json[]).at(step) : undefined;
  // Objects of readJson have no prototype, so a key such as "constructor" finds only what the document holds.
  return Array.isArray(value) ? undefined : (value as { readonly [key: string]: Json })[step];
}

/**
 * Compiles a path: keys joined by points (`reply.rows`), keys with odd characters in double quotes
 * (`"odd key".x`), indexes (`emails[0]`, `[-1]` for the last). The empty path is the document itself.
 * @throws PathError
 */
export function compilePath(text: string): Path {
  const steps = readSteps(text);
  return function find(document) {
    let value: Json | undefined = document;
    for (const step of steps) {
      value = stepInto(value, step);
      if (value === undefined) return undefined;
    }
    return value;
  };
}
