import type { SourceResourceSpec, SourceSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { ResourceName, Resource } from '../../contract/resources.ts';
import { invalidReply } from '../../kernel/errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { compileDetails, compileGet, type DetailsAdapter, type GetAdapter } from './compile-record.ts';
import { requireProof } from './read/credential-proof.ts';
import { compileDecoder } from './read/decode.ts';
import { compileEcho, type Echo } from './read/echo.ts';
import { compileItems, itemsPlace } from './read/items.ts';
import { compileTypeWatch, type OtherType, type TypeWatch } from './map/certified-types.ts';
import { compileRows } from './map/map-rows.ts';
import type { OnMissingValue } from './map/map-record.ts';
import { compileIdCodec } from './map/native-id.ts';
import { compileNext, type NextReader } from './read/next.ts';
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
} from './map/reply-observer.ts';
import { rowFields } from './map/row-fields.ts';
import { compileTotal } from './read/total.ts';
import { compileTotalBeside, type TotalBeside } from './read/total-beside.ts';
import {
  compileListProgram,
  type ProgramReply,
  type RowSink,
  type RowSlots,
} from './projected/list-program.ts';
import { createRecordSink } from './projected/record-sink.ts';
import { createByteSink } from './write/byte-sink.ts';
import type { RowMapping } from './write/byte-sink.ts';

/** What one upstream reply to a list says, besides its rows. */
export type ReplyFacts = {
  /** The number of matching rows that the reply states; `undefined` if it states none. */
  readonly total: number | undefined;
  /** Whether the total is present but cannot be read. */
  readonly isTotalLost?: boolean;
  /** Rows in the reply, dropped ones included. */
  readonly received: number;
  /** Values of a type that a filter was not certified for; absent where none came. */
  readonly otherTypes?: readonly OtherType[] | undefined;
  /** Ids of dropped rows that have one. If an id comes twice, another row is missing. */
  readonly droppedIds?: readonly string[];
  /** The page or offset that the reply says was requested. */
  readonly echo?: Echo;
  /** The cursor, key or target of the next window, if windows name the next one. */
  readonly next: string | undefined;
};

/** The rows of one upstream reply. */
export type Rows = ReplyFacts & { readonly records: readonly CanonicalRecord[] };

/** The rows of one upstream reply as they stand in the body of an answer. */
export type WrittenRows = ReplyFacts & { readonly written: WrittenRecords };

/** The adapter of a resource's list: plans requests and reads replies. Pure: no I/O. */
export type ListAdapter = {
  readonly plan: Planner;
  /** The order that pages bet on although nothing asks for it. */
  readonly bet: OrderBet | undefined;
  /**
   * Reads the rows of a reply. `written`: nobody looks at the records, so they may come as the bytes of an answer.
   * @throws GatewayError if the reply is a failure or does not match the source file.
   */
  readonly read: {
    (reply: UpstreamReply, observer: ReplyObserver, as: 'written' | undefined): Rows | WrittenRows;
    (reply: UpstreamReply, observer: ReplyObserver): Rows;
  };
  /** Reads the total from the reply to a plan's count request. @throws GatewayError */
  readonly readCount: (reply: UpstreamReply, observer: RuleObserver) => number | undefined;
  /** The fields that rows lack, read with one request per row. */
  readonly details: DetailsAdapter | undefined;
};

/** Everything about one resource of one upstream, compiled. */
export type Adapter = { readonly list: ListAdapter; readonly get: GetAdapter | undefined };

/** Reads the rows of a reply to records. */
type RecordsReader = (reply: UpstreamReply, observer: ReplyObserver) => Rows;

/** Reads a reply, and what of it is told beside its rows. */
type BesideReader = {
  readonly types: TypeWatch;
  readonly readReply: ReturnType<typeof compileReader>;
  readonly total: (reply: UpstreamReply, body: Json, onMissingValue: OnMissingValue) => TotalBeside;
  readonly next: NextReader;
  readonly echo: (body: Json) => Echo;
};

/** Compiles the general reader, which knows everything that a file can say, and why a reply cannot be used. */
function compileGeneralReader(
  { list, onInvalidRecord }: SourceResourceSpec,
  { fields, codec }: RowMapping,
  { place, format }: { readonly place: SpecLocation; readonly format: string },
  { readReply, total, next, echo, types }: BesideReader,
): RecordsReader {
  const items = compileItems(list.items, list.itemsAbsent, place.at('items'));
  const isDropped = compileDrop(list.dropWhen, place.at('dropWhen'));
  const idAt = [list.map['id']?.from ?? ''].flat().join(', ');
  const findId = pathAt(idAt, CHECKED);
  const mapRows = compileRows(list, fields, codec, {
    ...{ drop: onInvalidRecord === 'drop', format, here: place.at('map'), idAt, types },
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
      ...total(reply, body, observer.onMissingValue),
      otherTypes: types.take(),
      received: rows.length,
      next: next(reply, body, rows),
      echo: echo(body),
    };
  };
}

/** What a reader of bytes found, with what is told beside it. */
function factsOf<Records extends ReadRecords>(
  { total, next, echo, types }: BesideReader,
  reply: UpstreamReply,
  observer: ReplyObserver,
  found: ProgramReply<Records>,
): ReplyFacts {
  const { body, records } = found;
  notifyObserver(observer, found);
  return {
    droppedIds: [],
    ...total(reply, body, observer.onMissingValue),
    otherTypes: types.take(),
    received: records.length,
    next: next(reply, body, []),
    echo: echo(body),
  };
}

/** Windows that can be asked for by number: only these make a page without their rows being looked at one by one. */
const RANDOM_WINDOWS: readonly string[] = ['offset', 'page', 'none'];

function compileList(
  spec: SourceResourceSpec,
  resource: Resource,
  context: ReplyContext,
  here: SpecLocation,
): ListAdapter {
  const place = here.at('list');
  const total = compileTotal(spec.list.total, place.at('total'));
  const next = compileNext(spec.list, context.source.net, place.at('window'));
  const echo = compileEcho(spec.list.window, place.at('window'));
  const readReply = compileReader(context, 'list');
  const types = compileTypeWatch(spec.list, place);
  const beside = { types, readReply, total: compileTotalBeside(spec.list, total), next, echo };
  const fields = rowFields(spec, resource);
  const mapping = { resource, fields, map: spec.list.map, id: spec.id, codec: context.codec };
  const { format } = context.source.decode;
  const readGeneral = compileGeneralReader(spec, mapping, { place, format }, beside);
  const makesPages = spec.list.hydrate === undefined && RANDOM_WINDOWS.includes(spec.list.window.kind);
  const compileProgram = <Records extends ReadRecords>(createSink: (slots: RowSlots) => RowSink<Records>) =>
    compileListProgram(context, spec.list, { mapping, types }, createSink);
  const project = compileProgram((slots) => createRecordSink(mapping, slots));
  const transcode = makesPages ? compileProgram((slots) => createByteSink(mapping, slots)) : undefined;

  function read(reply: UpstreamReply, observer: ReplyObserver, as: 'written' | undefined): Rows | WrittenRows;
  function read(reply: UpstreamReply, observer: ReplyObserver): Rows;
  function read(reply: UpstreamReply, observer: ReplyObserver, as?: 'written'): Rows | WrittenRows {
    // What was noted in a reply that failed belongs to no other.
    types.take();
    if (as === 'written' && transcode !== undefined) {
      const found = transcode(reply);
      if (found !== undefined) return { written: found.records, ...factsOf(beside, reply, observer, found) };
    } else if (observer.onType === undefined) {
      // The general reader alone tells all types.
      const found = project?.(reply);
      if (found !== undefined) return { records: found.records, ...factsOf(beside, reply, observer, found) };
    }
    // A scan of the bytes that found nothing usable is not repeated for the other sink.
    return readGeneral(reply, observer);
  }

  return {
    plan: compilePlanner(spec, resource, here),
    bet: orderBet(spec),
    read,
    readCount(reply, observer) {
      const { body } = readReply(reply, observer);
      return total(reply, body);
    },
    details: compileDetails(spec, resource, context, here),
  };
}

/**
 * Compiles one resource of a source file; `undefined` if the file does not describe it. Problems are reported with
 * their paths in the file; use the adapter only if there were none.
 */
export function compileAdapter(
  source: SourceSpec,
  resource: Resource,
  report: ReportProblem,
): Adapter | undefined {
  const spec = source.resources[resource.name satisfies ResourceName];
  if (spec === undefined) return undefined;
  const file = locationIn(report);
  const here = file.at('resources', resource.name);
  const codec = compileIdCodec(spec.id, resource.idPrefix, here.at('id'));
  const decode = compileDecoder(source.decode);
  const context: ReplyContext = {
    source,
    decode,
    classify: requireProof(
      compileOutcomes(source.outcomes, file.at('outcomes')),
      source,
      file.at('auth', 'proof'),
    ),
    codec,
  };
  if (resource.detail !== null && spec.get === undefined) {
    here.report(
      `the contract reads a single ${resource.title}, but the source has no \`get\``,
      'add: get: { request: …, item: …, map: … }',
    );
  }
  if (resource.detail === null && spec.get !== undefined) {
    here.at('get').report(`the contract has no single-record view of ${resource.name}`, 'remove it');
  }
  const get =
    spec.get === undefined || resource.detail === null
      ? undefined
      : compileGet(spec.get, resource.detailFields, context, here.at('get'));
  return { list: compileList(spec, resource, context, here), get };
}
