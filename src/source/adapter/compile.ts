// Compiles one resource of a source file to its adapter: functions that plan requests and read replies. Pure: no I/O.

import type { SourceResourceSpec, SourceSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { ResourceName, Resource } from '../../contract/resource.ts';
import { invalidReply } from '../../kernel/errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import {
  compileDetails,
  compileGet,
  type DetailsAdapter,
  type GetAdapter,
  checkViews,
} from './compile-record.ts';
import { requireProof } from './read/credential-proof.ts';
import { compileDecoder } from './read/decode.ts';
import { compileEcho, type Echo } from './read/echo.ts';
import { compileItems, itemsPlace } from './read/items.ts';
import { compileTypeObserver, type OtherType } from './map/certified-types.ts';
import { compileRows } from './map/map-rows.ts';
import { compileIds } from './map/native-id.ts';
import { compileNext } from './read/next.ts';
import { compileOutcomes } from './read/outcome.ts';
import { orderBet, type OrderBet } from './plan/order-bet.ts';
import type { Planner } from './plan/plan.ts';
import { compilePlanner } from './plan/planner.ts';
import type { ReportProblem } from '../../config/yaml/problem.ts';
import { CHECKED, locationIn, type SpecLocation } from './spec/spec-location.ts';
import { pathAt } from './spec/path.ts';
import { compileDrop, compileReader, type ReplyContext } from './read/read-reply.ts';
import {
  type ReplyObserver,
  type RuleObserver,
  type ReadRecords,
  type WrittenRecords,
  notifyObserver,
  readObserved,
} from './map/reply-observer.ts';
import { rowFields } from './map/row-fields.ts';
import { compileTotal, compileTotalBeside } from './read/total.ts';
import { compileListProgram, type ProgramReply, type RowMapping } from './row-program/list-program.ts';
import { createRecordSink } from './row-program/record-sink.ts';
import { createByteSink } from './row-program/byte-sink.ts';

/** What one upstream reply to a list says around its rows, such as the total and the next window. */
export type ReplyEnvelope = {
  /** The number of matching rows that the reply states; `undefined` if it states none. */
  readonly total: number | undefined;
  /** True if the reply has a total that cannot be read. */
  readonly isTotalLost?: boolean;
  /** Rows in the reply, dropped ones included. */
  readonly received: number;
  /** JSON types of values that the `types` of a filter do not state; absent if there were none. */
  readonly otherTypes?: readonly OtherType[] | undefined;
  /** Ids of dropped rows that have one. If an id comes twice, another row is missing. */
  readonly droppedIds?: readonly string[];
  /** The page or offset that the reply says was requested; absent if the file does not say where it stands. */
  readonly echo?: Echo | undefined;
  /** The cursor, key or target of the next window, if windows name the next one. */
  readonly next: string | undefined;
};

/** The rows of one upstream reply. */
export type Rows = ReplyEnvelope & { readonly records: readonly CanonicalRecord[] };

/** The rows of one upstream reply as they stand in the body of an answer. */
export type WrittenRows = ReplyEnvelope & { readonly written: WrittenRecords };

/** The adapter of a resource's list: plans requests and reads replies. Pure: no I/O. */
export type ListAdapter = {
  readonly plan: Planner;
  /** The order that pages depend on although nothing asks the source for it. */
  readonly bet: OrderBet | undefined;
  /** Reads the rows of a reply. @throws GatewayError if the reply is a failure or does not match the source file */
  readonly read: (reply: UpstreamReply, observer: ReplyObserver) => Rows;
  /** Reads the same rows for a caller that looks at no record. They may come as the bytes of an answer. @throws as `read` */
  readonly readWritten: (reply: UpstreamReply, observer: ReplyObserver) => Rows | WrittenRows;
  /** Reads the total from the reply to a plan's count request. @throws GatewayError */
  readonly readCount: (reply: UpstreamReply, observer: RuleObserver) => number | undefined;
  /** The fields that rows lack, read with one request per row. */
  readonly details: DetailsAdapter | undefined;
};

/** Extends the readers of a list, so that they also pass the records to an observer that asks for them. */
export function observedListReaders({
  read,
  readWritten,
}: Pick<ListAdapter, 'read' | 'readWritten'>): Pick<ListAdapter, 'read' | 'readWritten'> {
  type Read<T> = (reply: UpstreamReply, observer: ReplyObserver) => T;
  const recordsOf = (rows: Rows | WrittenRows) => ('written' in rows ? rows.written : rows.records);
  const observed =
    <T extends Rows | WrittenRows>(readRows: Read<T>): Read<T> =>
    (reply, observer) =>
      readObserved('list', observer, (inner) => readRows(reply, inner), recordsOf);
  return { read: observed(read), readWritten: observed(readWritten) };
}

/** Everything about one resource of one upstream, compiled. */
export type Adapter = { readonly list: ListAdapter; readonly get: GetAdapter | undefined };

/** Compiles the reader of what a reply to a list says around its rows. */
function compileEnvelope({ list }: SourceResourceSpec, { source }: ReplyContext, place: SpecLocation) {
  const readTotal = compileTotal(list.total, place.at('total'));
  const total = compileTotalBeside(list, readTotal);
  const next = compileNext(list, source.net, place.at('window'));
  const echo = compileEcho(list.window, place.at('window'));
  const types = compileTypeObserver(list, place);

  function readEnvelope(
    { reply, body, rows = [] }: { reply: UpstreamReply; body: Json; rows?: readonly Json[] },
    { onMissingValue }: ReplyObserver,
  ) {
    return {
      ...total(reply, body, onMissingValue),
      otherTypes: types.take?.(),
      next: next?.(reply, body, rows),
      echo: echo?.(body),
    };
  }
  return { readTotal, types, readEnvelope };
}

/** Compiles the general reader. It is slower than a program, but reads all that a source file can say, and explains failures. */
function compileGeneralReader(
  { list, onInvalidRecord }: SourceResourceSpec,
  { fields, codec }: RowMapping,
  { source: { decode } }: ReplyContext,
  place: SpecLocation,
  {
    readReply,
    readEnvelope,
    types,
  }: Pick<ReturnType<typeof compileEnvelope>, 'readEnvelope' | 'types'> & {
    readonly readReply: ReturnType<typeof compileReader>;
  },
): ListAdapter['read'] {
  const items = compileItems(list.items, list.itemsAbsent, place.at('items'));
  const isDropped = compileDrop(list.dropWhen, place.at('dropWhen'));
  const idAt = [list.map['id']?.from ?? ''].flat().join(', ');
  const findId = pathAt(idAt, CHECKED);
  const mapRows = compileRows(list, fields, codec, {
    ...{ drop: onInvalidRecord === 'drop', format: decode.format, here: place.at('map'), idAt, types },
  });
  return (reply, observer) => {
    const { outcome, body } = readReply(reply, observer);
    if (outcome === 'past_end') return { records: [], total: undefined, received: 0, next: undefined };
    const rows = items(body);
    if (rows === undefined) throw invalidReply('rows', `no list of rows at "${itemsPlace(list.items)}"`);
    const dropped = isDropped === undefined ? [] : rows.filter(isDropped);
    const kept = dropped.length === 0 ? rows : rows.filter((row) => isDropped?.(row) !== true);
    return {
      records: mapRows(kept, observer),
      droppedIds: dropped.flatMap((row) => codec.toPublic(findId(row)) ?? []),
      ...readEnvelope({ reply, body, rows }, observer),
      received: rows.length,
    };
  };
}

/** Kinds of windows that can be asked for by number. Only with these can a page be written without looking at its rows. */
const RANDOM_WINDOWS: readonly string[] = ['offset', 'page', 'none'];

/** Compiles the list: readers by a list program, which are fast, and the general reader for all other replies. */
function compileList(
  spec: SourceResourceSpec,
  resource: Resource,
  context: ReplyContext,
  here: SpecLocation,
): ListAdapter {
  const place = here.at('list');
  const readReply = compileReader(context, 'list');
  const envelope = compileEnvelope(spec, context, place);
  const { types, readTotal } = envelope;
  const fields = rowFields(spec, resource);
  const mapping = { resource, fields, map: spec.list.map, id: spec.id, codec: context.codec };
  const readGeneral = compileGeneralReader(spec, mapping, context, place, { ...envelope, readReply });
  const makesPages = spec.list.hydrate === undefined && RANDOM_WINDOWS.includes(spec.list.window.kind);
  const toRecords = compileListProgram(context, spec.list, { mapping, types }, createRecordSink);
  const toBytes = makesPages
    ? compileListProgram(context, spec.list, { mapping, types }, createByteSink)
    : undefined;

  function envelopeOf(reply: UpstreamReply, observer: ReplyObserver, found: ProgramReply<ReadRecords>) {
    notifyObserver(observer, found);
    const { body, records } = found;
    // The spread comes first, because V8 then copies the object ten times as fast.
    return { ...envelope.readEnvelope({ reply, body }, observer), droppedIds: [], received: records.length };
  }

  function read(reply: UpstreamReply, observer: ReplyObserver): Rows {
    // Types that were noted in a reply that failed are forgotten.
    types.take?.();
    // Only the general reader reports the types of all values.
    const found = observer.onType === undefined ? toRecords?.(reply) : undefined;
    if (found === undefined) return readGeneral(reply, observer);
    return { ...envelopeOf(reply, observer, found), records: found.records };
  }

  function readWritten(reply: UpstreamReply, observer: ReplyObserver): Rows | WrittenRows {
    if (toBytes === undefined) return read(reply, observer);
    types.take?.();
    const found = toBytes(reply);
    // If one program cannot read the reply, the other one cannot read it either.
    if (found === undefined) return readGeneral(reply, observer);
    return { ...envelopeOf(reply, observer, found), written: found.records };
  }

  return {
    plan: compilePlanner(spec, resource, context.codec, here),
    bet: orderBet(spec),
    ...observedListReaders({ read, readWritten }),
    readCount(reply, observer) {
      const { body } = readReply(reply, observer);
      return readTotal(reply, body);
    },
    details: compileDetails(spec, resource, context, here),
  };
}

/** Compiles a resource of a source file; `undefined` if the file lacks it. Use no adapter for which problems were reported. */
export function compileAdapter(
  source: SourceSpec,
  resource: Resource,
  report: ReportProblem,
): Adapter | undefined {
  const spec = source.resources[resource.name satisfies ResourceName];
  if (spec === undefined) return undefined;
  const file = locationIn(report);
  const here = file.at('resources', resource.name);
  const codec = compileIds(source, spec, resource, here.at('id'));
  const context: ReplyContext = {
    ...{ source, codec, decode: compileDecoder(source.decode) },
    classify: requireProof(
      compileOutcomes(source.outcomes, file.at('outcomes')),
      source,
      file.at('auth', 'proof'),
    ),
  };
  checkViews(spec, resource, here);
  const single = resource.hasSingle ? spec.get : undefined;
  const droppedWithout = spec.onInvalidRecord === 'drop' ? resource.itemFields : undefined;
  const view = single && { spec: single, fields: resource.detailFields, droppedWithout };
  const get = view && compileGet('get', view, context, here.at('get'));
  const list = compileList(spec, resource, context, resource.hasList ? here : CHECKED);
  // If the contract has no list, no query needs a call.
  return { list: resource.hasList ? list : { ...list, plan: () => ({ kind: 'nothing' }) }, get };
}
