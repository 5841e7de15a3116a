import { Secret } from '../../../src/kernel/secret.ts';

type Path = readonly string[];

/** Whether a value has keys of its own, as a configuration is built from them. The contract counts as a whole. */
const isTree = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Secret) &&
  !Object.hasOwn(value, 'toJSON');

/**
 * The same value; `onRead` is told of the path of everything that is read from it, such as `auth.jwt.issuer`. Writing it
 * as JSON reads nothing: that is how digests are made.
 */
export function trackReads<T>(value: T, onRead: (path: string) => void, path: Path = []): T {
  if (!isTree(value)) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      if (key === 'toJSON') return () => target;
      const found: unknown = Reflect.get(target, key, receiver);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return found;
      const at = [...path, key];
      onRead(at.join('.'));
      return trackReads(found, onRead, at);
    },
  });
}

/** The paths of all values below which there is no other. */
export function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (!isTree(value)) return [path];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Another value of the same kind. */
function otherThan(value: unknown): unknown {
  if (value instanceof Secret) return new Secret(`${value.reveal()}-other`);
  if (typeof value === 'object') return { ...value, toJSON: () => 'another contract' };
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const text = value as string;
  // Addresses stay such, because parts are made of them.
  if (/^[\d.]+\/\d+$/.test(text)) return `${text.slice(0, -1)}9`;
  return text.startsWith('http') ? `${text}/x` : `${text}x`;
}

/** The same configuration with another value at a path. */
export function changeAt<T>(value: T, [key, ...rest]: Path): T {
  if (key === undefined) return otherThan(value) as T;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  copy[key] = changeAt(copy[key], rest);
  return copy as T;
}
