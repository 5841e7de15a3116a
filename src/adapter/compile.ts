import type { GetSpec, ListSpec, SourceResourceSpec, SourceSpec } from '../config/source-schema.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { ResourceName } from '../contract/query.ts';
import type { Resource } from '../contract/resource.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import type { Json } from '../kernel/json.ts';
import { decodeBody, type UpstreamReply } from './decode.ts';
import { compileMapping, type OnGap, type RecordMapper } from './map-record.ts';
import { createIdCodec, type IdCodec } from './native-id.ts';
import { type Classifier, compileOutcomes, outcomeFault } from './outcome.ts';
import { compilePath, type Path, PathError } from './path.ts';
import { compilePlanner, type Planner } from './plan.ts';
import type { Report } from './report.ts';
import { compileRequest, targetOf } from './template.ts';

/** The rows of one upstream reply. */
export type Rows = {
  readonly records: readonly CanonicalRecord[];
  /** What the source says is the number of matching rows; `undefined` where this reply does not say. */
  readonly total: number | undefined;
  /** Rows in the reply, those left out included. */
  readonly received: number;
};

/** How a resource's list is asked for and read. Pure: no I/O. */
export type ListAdapter = {
  readonly plan: Planner;
  /** @throws GatewayError where the reply is a failure or does not read as the source says. */
  read(reply: UpstreamReply, onGap: OnGap): Rows;
};

/** How a single record is asked for and read. Pure: no I/O. */
export type GetAdapter = {
  /** The target for a v1 id; `undefined` where no record of the source can have it. */
  target(id: string): string | undefined;
  /** The record, or `undefined` where the source says there is none. @throws GatewayError */
  read(reply: UpstreamReply, id: string, onGap: OnGap): CanonicalRecord | undefined;
};

/** Everything known about one resource of one upstream. */
export type Adapter = { readonly list: ListAdapter; readonly get: GetAdapter | undefined };

type Context = {
  readonly source: SourceSpec;
  readonly classify: Classifier;
  readonly codec: IdCodec;
  readonly report: Report;
};

function pathAt(text: string, report: Report, at: readonly PropertyKey[]): Path {
  try {
    return compilePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    report(at, error.message);
    return () => undefined;
  }
}

/** Decodes a reply and decides what it means; the body is there only where the outcome needs it. */
function compileReader({ source, classify }: Context, on: 'list' | 'get') {
  return function readReply(reply: UpstreamReply): { outcome: 'ok' | 'not_found' | 'past_end'; body: Json } {
    let body: Json | undefined;
    let unread: unknown;
    try {
      body = decodeBody(reply, source.decode);
    } catch (error) {
      unread = error;
    }
    const outcome = classify(on, reply, body);
    const usable =
      outcome === 'ok' ||
      (outcome === 'not_found' && on === 'get') ||
      (outcome === 'past_end' && on === 'list');
    if (usable && body !== undefined) return { outcome, body };
    if (usable && outcome !== 'ok') return { outcome, body: null };
    // A body that cannot be read says more than "no rule fits".
    if (unread instanceof GatewayError && (outcome === 'ok' || (outcome === undefined && reply.status < 400)))
      throw unread;
    throw outcomeFault(outcome, reply);
  };
}

function wholeNumber(value: Json | undefined): number {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const total = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(total))
    throw fault('upstream_invalid_response', { detail: 'the total is missing or not a whole number' });
  return total;
}

function compileTotal(
  spec: ListSpec['total'],
  report: Report,
  at: readonly PropertyKey[],
): (reply: UpstreamReply, body: Json) => number | undefined {
  if (spec === undefined) return () => undefined;
  if ('header' in spec) {
    const header = spec.header.toLowerCase();
    return (reply) => wholeNumber(reply.header(header));
  }
  const find = pathAt(spec.at, report, [...at, 'total', 'at']);
  return (_reply, body) => wholeNumber(find(body));
}

function mapRows(rows: readonly Json[], map: RecordMapper, drop: boolean, onGap: OnGap): CanonicalRecord[] {
  const records: CanonicalRecord[] = [];
  for (const row of rows) {
    const record = map(row, onGap);
    if (record !== undefined) records.push(record);
    else if (drop) onGap('id', 'unreadable');
    else throw fault('upstream_invalid_response', { detail: 'a record has no usable id' });
  }
  return records;
}

function compileList(
  spec: SourceResourceSpec,
  resource: Resource,
  context: Context,
  at: readonly PropertyKey[],
): ListAdapter {
  const place = [...at, 'list'];
  const { report } = context;
  const readReply = compileReader(context, 'list');
  const items = pathAt(spec.list.items, report, [...place, 'items']);
  const total = compileTotal(spec.list.total, report, place);
  const map = compileMapping(spec.list.map, resource.itemFields, context.codec, report, [...place, 'map']);
  return {
    plan: compilePlanner(spec, resource, report, at),
    read(reply, onGap) {
      const { outcome, body } = readReply(reply);
      if (outcome === 'past_end') return { records: [], total: undefined, received: 0 };
      const rows = items(body);
      if (!Array.isArray(rows))
        throw fault('upstream_invalid_response', { detail: `no list of rows at "${spec.list.items}"` });
      const records = mapRows(rows as readonly Json[], map, spec.onInvalidRecord === 'drop', onGap);
      return { records, total: total(reply, body), received: rows.length };
    },
  };
}

function compileGet(
  spec: GetSpec,
  resource: Resource,
  context: Context,
  at: readonly PropertyKey[],
): GetAdapter {
  const place = [...at, 'get'];
  const { report, codec } = context;
  const readReply = compileReader(context, 'get');
  const request = compileRequest(spec.request, ['id'], report, [...place, 'request']);
  const item = pathAt(spec.item, report, [...place, 'item']);
  const map = compileMapping(spec.map, resource.detailFields, codec, report, [...place, 'map']);
  return {
    target(id) {
      const native = codec.toNative(id);
      if (native === undefined) return undefined;
      const { path, query } = request({ id: native });
      return targetOf(path, query);
    },
    read(reply, id, onGap) {
      const { outcome, body } = readReply(reply);
      if (outcome === 'not_found') return undefined;
      const found = item(body);
      if (found === undefined || found === null)
        throw fault('upstream_invalid_response', { detail: `no record at "${spec.item}"` });
      const record = map(found, onGap);
      if (record?.id !== id)
        throw fault('upstream_invalid_response', { detail: 'the record is not the one that was asked for' });
      return record;
    },
  };
}

/**
 * Compiles what a source file says of one resource.
 * Every problem is reported with its place in the file; the result is usable only where none was.
 */
export function compileAdapter(source: SourceSpec, resource: Resource, report: Report): Adapter | undefined {
  const spec = source.resources[resource.name satisfies ResourceName];
  if (spec === undefined) return undefined;
  const at = ['resources', resource.name];
  const codec = createIdCodec(spec.id.kind, resource.idPrefix);
  const context: Context = { source, classify: compileOutcomes(source.outcomes, report), codec, report };
  if (resource.detail !== null && spec.get === undefined) {
    report(
      at,
      `the contract reads a single ${resource.title}, but the source has no \`get\``,
      'add: get: { request: …, item: …, map: … }',
    );
  }
  if (resource.detail === null && spec.get !== undefined) {
    report([...at, 'get'], `the contract has no single-record view of ${resource.name}`, 'remove it');
  }
  const get =
    spec.get === undefined || resource.detail === null
      ? undefined
      : compileGet(spec.get, resource, context, at);
  return { list: compileList(spec, resource, context, at), get };
}
