import * as z from 'zod';

/** How records of a server are changed through its own interface, and which of their fields may be emptied. */
export const writesSchema = z.strictObject({
  kind: z.enum(['rest', 'odata', 'json-api', 'couchdb']),
  /** Where records are written, if that is not where they are listed. */
  at: z.string().optional(),
  /** What stands before an id. */
  prefix: z.string().default(''),
  fields: z.array(z.string()).min(1),
  /** json-api: those of the fields that lead to other records. */
  relationships: z.array(z.string()).default([]),
  /** Whether a new record may bring an id of its own. */
  ownIds: z.boolean().default(true),
});

export type Writes = z.infer<typeof writesSchema>;

type Fields = Record<string, unknown>;

/** The parts of a record of JSON:API, put together and taken apart. */
const resourceObject = (names: readonly string[]) => ({
  join: ({ attributes, relationships }: Record<string, Fields>): Fields => ({
    ...attributes,
    ...Object.fromEntries(
      names.map((name) => [name, (relationships?.[name] as Fields | undefined)?.['data'] ?? null]),
    ),
  }),
  split: (fields: Fields): Fields => {
    const entries = Object.entries(fields);
    const leading = entries.filter(([name]) => names.includes(name));
    return {
      attributes: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
      ...(leading.length > 0 && {
        relationships: Object.fromEntries(leading.map(([name, data]) => [name, { data }])),
      }),
    };
  },
});

/** Changes records of a server. Each rejects where the server refuses. */
export type Writer = {
  /** A copy of a record, with another id. */
  copy(id: string, otherId: string | number): Promise<void>;
  empty(id: string, field: string): Promise<void>;
  /** Takes over a field of another record. */
  change(id: string, field: string, otherId: string): Promise<void>;
  remove(id: string): Promise<void>;
};

const JSON_API = 'application/vnd.api+json';

/** The way of a kind of server: its addresses, and what stands around the fields of a record. */
function wayOf({ kind }: Writes) {
  const type = kind === 'json-api' ? JSON_API : 'application/json';
  return {
    headers: { 'Content-Type': type, Accept: type },
    idName: { rest: 'id', odata: 'ID', 'json-api': 'id', couchdb: '_id' }[kind],
    itemOf: (list: string, id: string) =>
      kind === 'odata' ? `${list}(${id})` : `${list}/${encodeURIComponent(id)}`,
  };
}

/** Opens a way to change the records of a list. */
export function openWriter(list: string, writes: Writes, headers: Readonly<Record<string, string>>): Writer {
  const way = wayOf(writes);
  const { kind, prefix } = writes;
  const type = list.split('/').at(-1);
  const parts = resourceObject(writes.relationships);

  async function call(method: string, url: string, body?: unknown): Promise<unknown> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url, { method, headers: { ...way.headers, ...headers }, ...init });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${url} was answered ${response.status}: ${text.slice(0, 200)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const itemOf = (id: string) => way.itemOf(list, prefix + id);

  async function read(id: string): Promise<Fields> {
    const found = (await call('GET', itemOf(id))) as Fields;
    return kind === 'json-api' ? parts.join(found['data'] as Record<string, Fields>) : found;
  }

  async function patch(id: string, changes: Fields): Promise<void> {
    if (kind === 'couchdb') await call('PUT', itemOf(id), { ...(await read(id)), ...changes });
    else if (kind === 'json-api')
      await call('PATCH', itemOf(id), { data: { type, id, ...parts.split(changes) } });
    else await call('PATCH', itemOf(id), changes);
  }

  return {
    async copy(id, otherId) {
      const { [way.idName]: _id, _rev, '@odata.context': _context, ...fields } = await read(id);
      const own = writes.ownIds ? { [way.idName]: kind === 'couchdb' ? `${prefix}${otherId}` : otherId } : {};
      if (kind === 'json-api') await call('POST', list, { data: { type, ...parts.split(fields) } });
      else await call('POST', list, { ...fields, ...own });
    },
    empty: (id, field) => patch(id, { [field]: null }),
    async change(id, field, otherId) {
      await patch(id, { [field]: (await read(otherId))[field] ?? null });
    },
    async remove(id) {
      const rev = kind === 'couchdb' ? `?rev=${String((await read(id))['_rev'])}` : '';
      await call('DELETE', itemOf(id) + rev);
    },
  };
}

/** So many changes to the records with these ids: copies with other ids, emptied and changed fields, deleted records. */
export async function writeRandomly(
  writer: Writer,
  { fields }: Writes,
  ids: readonly (string | number)[],
  { count, below }: { readonly count: number; readonly below: (bound: number) => number },
): Promise<void> {
  const left = ids.map(String);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  for (let n = 0; n < count; n += 1) {
    if (n % 4 === 0) await writer.copy(pick(left), 3_000_000 + n);
    else if (n % 8 === 1) await writer.remove(left.splice(below(left.length), 1)[0]!);
    else if (n % 4 === 2) await writer.change(pick(left), pick(fields), pick(left));
    else await writer.empty(pick(left), pick(fields));
  }
}
