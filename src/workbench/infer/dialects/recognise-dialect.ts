// Tells by signs in a request and its reply whether a service speaks a dialect, for `portico infer`.

import type { DialectSpec } from '../../../config/schema/source.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isObject, jsonType, scalarText } from '../../../kernel/json/values.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { jsonBodyOf } from './change-request.ts';
import type { DialectClues } from './dialect.ts';

type Sign = DialectSpec['confirms'][number];

/** A request and its reply as one document, which the paths of signs point into. */
function documentOf({ request, document, row }: DialectClues): JsonObject {
  const asked = { path: request.path, body: jsonBodyOf(request) };
  return { request: asked, reply: document ?? null, row: row ?? null };
}

function compileSign({ at, header, matches, is, has, lacks, only }: Sign) {
  const find = compilePath(at);
  const pattern = matches === undefined ? undefined : new RegExp(matches);
  return (document: Json, { reply }: DialectClues): boolean => {
    const value = header === undefined ? find(document) : reply.header(header.toLowerCase());
    const text = scalarText(value) ?? (value === undefined ? undefined : JSON.stringify(value));
    const keys = value !== undefined && isObject(value) ? Object.keys(value) : [];
    return (
      (pattern === undefined || (text !== undefined && pattern.test(text))) &&
      (is === undefined || jsonType(value) === is) &&
      has.every((key) => keys.includes(key)) &&
      !lacks.some((key) => keys.includes(key)) &&
      (only === undefined || keys.every((key) => only.includes(key)))
    );
  };
}

/** Compiles groups of signs. A reply belongs to the dialect if it shows all signs of at least one group. */
export function compileSigns(groups: readonly (readonly Sign[])[]): (clues: DialectClues) => boolean {
  const compiled = groups.map((signs) => signs.map(compileSign));
  return (clues) => {
    const document = documentOf(clues);
    return compiled.some((signs) => signs.every((fits) => fits(document, clues)));
  };
}
