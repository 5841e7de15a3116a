// Compiles what reads one record at a time: the single record of a resource, and the details that rows of a list lack.

import type { GetSpec, SourceResourceSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resource.ts';
import { invalidReply } from '../../kernel/errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import { CHECKED, type SpecLocation } from './spec/spec-location.ts';
import { type IdCodec, isSameFolded } from './map/native-id.ts';
import { compileItem, itemsPlace } from './read/items.ts';
import { compileMapping } from './map/map-record.ts';
import { requiredText } from './map/map-rows.ts';
import { compileRecordProgram } from './row-program/record-program.ts';
import { type ReplyContext, compileDrop, compileReader } from './read/read-reply.ts';
import { notifyObserver, readObserved, type ReplyObserver } from './map/reply-observer.ts';
import { compileRequest, namesDirectory } from './request/request.ts';
import { reservedIds } from './request/reserved-ids.ts';
import { variablesOf } from './request/text-template.ts';
import { detailFields, detailsPlace, detailsSpec, type RecordView, type ViewSpec } from './map/row-fields.ts';

/** The adapter of a single record, which makes the request and reads the reply. Pure: no I/O. */
export type GetAdapter = {
  /** The request for a v1 id; `undefined` if no record of the source can have this id. */
  request(id: string): UpstreamRequest | undefined;
  /**
   * The record; `undefined` if the source has no such record.
   * @throws GatewayError with the reason `other_record` if it is a record that nobody asked for
   */
  read(reply: UpstreamReply, id: string, observer: ReplyObserver): CanonicalRecord | undefined;
  /** The record in a reply, whatever its id is. @throws GatewayError */
  readonly find: (reply: UpstreamReply, observer: ReplyObserver) => CanonicalRecord | undefined;
  /** Creates a `read` that uses another function to find the record in a reply. */
  readonly readWith: (find: GetAdapter['find']) => GetAdapter['read'];
};

/** The adapter of the fields that a list's rows lack. Its records have these fields and the id. Pure: no I/O. */
export type DetailsAdapter = GetAdapter & { readonly fields: ReadonlySet<string> };

/** The details of a row that callers must not see. No real record has this id. */
const LEFT_OUT: CanonicalRecord = { id: '' };

/** Whether these details say that their row is left out of data and total. */
export function isLeftOut({ id }: CanonicalRecord): boolean {
  return id === LEFT_OUT.id;
}

/** Compiles the adapter of the fields that a list's rows lack; `undefined` if they lack none. */
export function compileDetails(
  spec: SourceResourceSpec,
  resource: Resource,
  context: ReplyContext,
  here: SpecLocation,
): DetailsAdapter | undefined {
  const { hydrate, map } = spec.list;
  if (hydrate === undefined) return undefined;
  const place = here.at('list', 'hydrate');
  const fields = detailFields(spec, resource);
  if (fields.length === 0) place.report('the rows have every field already', 'remove it');
  const details = detailsSpec(spec);
  if (details === undefined) {
    place.report('the source has no `get`', 'hydrate: { request: …, item: …, map: … }');
    return undefined;
  }
  // Problems of `get` are reported when `get` itself is compiled.
  const isOwn = hydrate !== 'get';
  if (isOwn)
    for (const name of Object.keys(hydrate.map))
      if (name !== 'id' && map[name] !== undefined)
        place.at('map', name).report(`the rows have "${name}" already`, 'map it in one of the two places');
  const ids = resource.itemFields.filter(isId);
  const wanted = [...ids, ...fields];
  const read = compileGet(
    'details',
    {
      spec: isOwn ? details : { ...details, map: mappingOfOnly(details.map, wanted) },
      fields: wanted,
      droppedWithout: spec.onInvalidRecord === 'drop' ? wanted : undefined,
    },
    context,
    isOwn ? here.at(...detailsPlace(spec)) : CHECKED,
  );
  return { ...read, fields: new Set(fields.map(({ name }) => name)) };
}

const isId = ({ kind }: Field) => kind === 'id';

/** The part of a mapping for some fields. */
function mappingOfOnly(map: GetSpec['map'], fields: readonly Field[]): GetSpec['map'] {
  return Object.fromEntries(Object.entries(map).filter(([key]) => fields.some(({ name }) => name === key)));
}

/** What the adapter of a single record is compiled from. */
type SingleSpec = Pick<ViewSpec, 'fields'> & {
  readonly spec: GetSpec;
  /**
   * Fields of the list. A record that lacks a required one is not in the list, so it is not found here. Absent: it is an error.
   */
  readonly droppedWithout?: readonly Field[] | undefined;
};

/** Compiles the test whether a list leaves out a record because it has an id, but lacks a required one of these fields. */
function compileInvalid(map: GetSpec['map'], fields: readonly Field[], codec: IdCodec) {
  const mapId = compileMapping(map, fields.filter(isId), codec, CHECKED);
  const mapItem = compileMapping(map, fields, codec, CHECKED);
  const ignore = () => undefined;
  return (found: Json) => mapId(found, ignore) !== undefined && mapItem(found, ignore) === undefined;
}

/**
 * Compiles the adapter of a single record (`view`: get), or of the details of a row (`view`: details). `here` is the place of
 * `spec` in the source file.
 */
export function compileGet(
  view: RecordView,
  { spec, fields, droppedWithout }: SingleSpec,
  context: ReplyContext,
  here: SpecLocation,
): GetAdapter {
  const { codec } = context;
  const readReply = compileReader(context, 'get');
  const request = compileRequest(spec.request, ['id'], here.at('request'));
  const item = compileItem(spec.item, here.at('item'));
  const isDropped = compileDrop(spec.dropWhen, here.at('dropWhen'));
  const map = compileMapping(spec.map, fields, codec, here.at('map'));
  const orRequired = requiredText(fields);
  const isInvalid = droppedWithout && compileInvalid(spec.map, droppedWithout, codec);
  // This differs from a row whose details are not found (`undefined`), because that row has vanished.
  const leftOut = view === 'details' ? LEFT_OUT : undefined;
  const runProgram = compileRecordProgram(context, spec, fields);
  const reserved = new Set(reservedIds(spec.request.path, context.source).map(({ native }) => native));
  const isInPath = variablesOf(spec.request.path).includes('id');

  function findGeneral(reply: UpstreamReply, observer: ReplyObserver): CanonicalRecord | undefined {
    const { outcome, body } = readReply(reply, observer);
    if (outcome === 'not_found') return undefined;
    const found = item(body);
    if (found === undefined || found === null)
      throw invalidReply('rows', `no record at "${itemsPlace(spec.item)}"`);
    if (isDropped?.(found) === true) return leftOut;
    const record = map(found, observer.onMissingValue);
    if (record !== undefined) return record;
    if (isInvalid?.(found) === true) {
      if (leftOut !== undefined) observer.onMissingValue('id', 'unreadable');
      return leftOut;
    }
    throw invalidReply('id', `the record has no usable id${orRequired}`);
  }

  function find(reply: UpstreamReply, observer: ReplyObserver): CanonicalRecord | undefined {
    const found = runProgram?.(reply);
    if (found === undefined) return findGeneral(reply, observer);
    notifyObserver(observer, found);
    return found.record;
  }

  /** The record, if it is the one that was asked for. */
  function checkAsked(record: CanonicalRecord | undefined, id: string): CanonicalRecord | undefined {
    if (record === undefined || record.id === id || record.id === leftOut?.id) return record;
    // The source ignores case or spaces, for example, and found another id. No record has exactly the id that was asked for.
    if (isSameFolded(codec.toNative(record.id), codec.toNative(id))) return undefined;
    throw invalidReply('other_record', 'the record is not the one that was asked for');
  }

  function readWith(findRecord: GetAdapter['find']): GetAdapter['read'] {
    return (reply, id, observer) =>
      readObserved(
        view,
        observer,
        (inner) => checkAsked(findRecord(reply, inner), id),
        (record) => (record === undefined || isLeftOut(record) ? [] : [record]),
      );
  }

  return {
    request(id) {
      const native = codec.toNative(id);
      if (native === undefined || reserved.has(native) || (isInPath && namesDirectory(native)))
        return undefined;
      return request({ id: native }, []);
    },
    read: readWith(find),
    find,
    readWith,
  };
}

/** Reports if the source file lacks `list` or `get` although the contract needs it, or has one that the contract lacks. */
export function checkViews(
  { get, hasList }: SourceResourceSpec,
  resource: Resource,
  here: SpecLocation,
): void {
  if (resource.hasList && !hasList)
    here.report(
      `the contract lists ${resource.name}, but the source has no \`list\``,
      'add: list: { request: …, window: …, items: …, map: … }',
    );
  if (!resource.hasList && hasList)
    here.at('list').report(`the contract has no list of ${resource.name}`, 'remove it');
  if (resource.hasSingle && get === undefined)
    here.report(
      `the contract reads a single ${resource.singular}, but the source has no \`get\``,
      'add: get: { request: …, item: …, map: … }',
    );
  if (!resource.hasSingle && get !== undefined)
    here.at('get').report(`the contract has no single-record view of ${resource.name}`, 'remove it');
}
