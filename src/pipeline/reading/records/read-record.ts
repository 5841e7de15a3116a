// Reads a single record by its id, and notices a source that gives another record than it was asked for.

import type { GetAdapter } from '../../../source/adapter/compile-record.ts';
import { firstRows } from '../../../source/adapter/plan/plan.ts';
import { UNOBSERVED } from '../../../source/adapter/map/reply-observer.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { readInThreadIfLarge } from '../large-replies/large-replies.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/** Reads a single record by its v1 id; `undefined` if there is none. @throws GatewayError */
export type ReadRecord = (id: string, context: CallContext) => Promise<CanonicalRecord | undefined>;

/** The claim that the source's request for a single record gives the record with the asked id. */
const SINGLE_VIEW = 'get';
const DETAIL = 'the single view gives other records than it is asked for';

/** Creates the memory of two ids for which the source gave the right record. */
function createRightIds() {
  let first: string | undefined;
  let second: string | undefined;
  return {
    add(id: string): void {
      if (first === undefined) first = id;
      else if (first !== id) second ??= id;
    },
    has: (id: string) => id === first || id === second,
    /** Whether another id than this is known. One id is no proof, because a source may always give the same record. */
    hasOtherThan: (id: string) => first !== undefined && (first !== id || second !== undefined),
  };
}

/** Reads the ids of the first rows of the list: at least two, if the list has two. @throws GatewayError */
async function listedIds(
  source: SourceRuntime,
  { signal, usage, priority }: CallContext,
): Promise<readonly string[]> {
  const { adapter, observer, resource, upstream } = source;
  const { list } = adapter;
  const { onRule, onRecords } = observer;
  const request = firstRows(list.plan, resource.name, 2)?.request;
  if (request === undefined) return [];
  const { records } = await upstream.ask(
    request,
    (reply) =>
      readInThreadIfLarge(source, reply, { view: 'list', observer, signal }, (part) =>
        list.read(part, { ...UNOBSERVED, onRule, onRecords }),
      ),
    signal,
    usage,
    priority,
  );
  return records.map(({ id }) => id);
}

/**
 * Creates the reader of single records of a source. A record with another id than the asked one is never the answer. If the
 * same wrong record comes twice from a source that has given right records, then the asked id is an alias, such as `me`,
 * and there is no such record. If it comes only once, the source is inconsistent, and the answer is an error. A source that
 * has given no right record yet is asked for a record that its list shows; if that one is wrong, too, its claim is disabled.
 */
export function createRecordReader(source: SourceRuntime, get: GetAdapter): ReadRecord {
  const { claims, observer, upstream } = source;
  const right = createRightIds();

  /** Asks for a record. If another record comes instead, the result has its id (`other`). */
  async function ask(id: string, { signal, usage, priority }: CallContext) {
    const request = get.request(id);
    if (request === undefined) return { record: undefined };
    let otherId: string | undefined;
    function read(reply: UpstreamReply): CanonicalRecord | undefined {
      try {
        return get.read(reply, id, observer);
      } catch (error) {
        if (error instanceof GatewayError && error.reason === 'other_record')
          otherId = get.find(reply, UNOBSERVED)?.id;
        throw error;
      }
    }
    try {
      const record = await upstream.ask(
        request,
        (reply) => readInThreadIfLarge(source, reply, { view: 'get', observer, signal }, read),
        signal,
        usage,
        priority,
      );
      if (record !== undefined) right.add(id);
      return { record };
    } catch (error) {
      if (otherId === undefined) throw error;
      return { record: undefined, other: { id: otherId, error } };
    }
  }

  /**
   * Whether the source gives a wrong record even for an id that its list shows (other than `otherThan`). False if there is no
   * list, or if the list shows no such id, because then nothing is proven.
   */
  async function isListedWrong(otherThan: string, context: CallContext): Promise<boolean> {
    const ids = await listedIds(source, context).catch(() => undefined);
    const known = ids?.find((id) => id !== otherThan && get.request(id) !== undefined);
    return known !== undefined && (await ask(known, context)).other !== undefined;
  }

  return async function readRecord(id, context) {
    const { record, other } = await ask(id, context);
    if (other === undefined) return record;
    const isRight = () => right.hasOtherThan(other.id);
    if (right.has(id) || (claims.disabled.has(SINGLE_VIEW) && !isRight())) throw other.error;
    // It is asked twice, because a wrong record that comes only now and then must not hide an existing one.
    const second = await ask(id, context);
    if (second.other?.id !== other.id) throw other.error;
    if (isRight()) return undefined;
    const isWrong = await isListedWrong(other.id, context);
    if (isRight()) return undefined;
    if (isWrong && claims.disable(SINGLE_VIEW, DETAIL)) observer.contradicted(SINGLE_VIEW);
    throw other.error;
  };
}
