// Values in XML and CSV are texts. So the numbers that a source file compares them with are turned into texts, too, by
// `load.ts`.

import { NumberText } from '../kernel/json/json.ts';
import { OwnCoercion } from './schema/mapping/own-coercion.ts';
import type { SourceSpec } from './schema/source.ts';
import type { YamlFile } from './yaml/yaml-file.ts';

type Path = readonly PropertyKey[];

/** The parts of a resource whose literals are compared with values of replies. */
const COMPARED: readonly Path[] = [
  ...['total', 'dropWhen', 'map'].map((part) => ['list', part]),
  ['list', 'hydrate', 'map'],
  ...['dropWhen', 'map'].map((part) => ['get', part]),
];

/** The keys of such literals. An `enum` may have a key of the same name, but its values are texts already. */
const LITERALS: readonly PropertyKey[] = ['equals', 'nullIf'];

function asText(value: unknown, path: Path, file: YamlFile): unknown {
  if (Array.isArray(value)) return value.map((item, index) => asText(item, [...path, index], file));
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return value;
  // The text is taken as written in the file, because 007 and 7 are different texts.
  const written = file.exactAt(path);
  return written instanceof NumberText ? written.text : String(value);
}

function withTexts(tree: unknown, path: Path, file: YamlFile): unknown {
  if (Array.isArray(tree)) return tree.map((item, index) => withTexts(item, [...path, index], file));
  if (typeof tree !== 'object' || tree === null || tree instanceof OwnCoercion) return tree;
  const entries = Object.entries(tree).map(([key, value]) => {
    const place = [...path, key];
    return [key, LITERALS.includes(key) ? asText(value, place, file) : withTexts(value, place, file)];
  });
  return Object.fromEntries(entries) as unknown;
}

function replaced(tree: unknown, [key, ...rest]: Path, path: Path, file: YamlFile): unknown {
  if (key === undefined) return withTexts(tree, path, file);
  const below = (tree as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
  if (below === undefined) return tree;
  return { ...(tree as object), [key]: replaced(below, rest, [...path, key], file) };
}

/**
 * Turns the literals of a source into texts if its replies have only texts (XML, CSV). Then `equals: 44` means "44", as
 * written in the file, and `true` means "true".
 */
export function withTextLiterals(spec: SourceSpec, file: YamlFile): SourceSpec {
  if (spec.decode.format !== 'xml' && spec.decode.format !== 'csv') return spec;
  const resources = Object.keys(spec.resources).flatMap((name) =>
    COMPARED.map((path) => ['resources', name, ...path]),
  );
  return [['outcomes'], ...resources].reduce(
    (made, path) => replaced(made, path, [], file) as SourceSpec,
    spec,
  );
}
