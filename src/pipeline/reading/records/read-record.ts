import type { GetAdapter } from '../../../source/adapter/compile-record.ts';
import { firstRows } from '../../../source/adapter/plan/plan.ts';
import { UNOBSERVED } from '../../../source/adapter/map/reply-observer.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { readInThreadIfLarge } from '../large-replies/large-replies.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

/** Asks for a single record by its v1 id; `undefined`: there is none. @throws GatewayError */
export type ReadRecord = (id: string, context: CallContext) => Promise<CanonicalRecord | undefined>;

/** The claim that the single view gives the record that it is asked for. */
const SINGLE_VIEW = 'get';
const DETAIL = 'the single view gives other records than it is asked for';

/** Remembers two ids for which a source gave the right record. */
function createRightIds() {
  let first: string | undefined;
  let second: string | undefined;
  return {
    add(id: string): void {
      if (first === undefined) first = id;
      else if (first !== id) second ??= id;
    },
    has: (id: string) => id === first || id === second,
    /** Whether an id other than this is known: a source that always gives the same record is right for that one, too. */
    hasOtherThan: (id: string) => first !== undefined && (first !== id || second !== undefined),
  };
}

/** The ids of the first rows of a list: at least two if there are as many. @throws GatewayError */
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
 * Creates the reader of the single view of a source. A record with another id than was asked for is never the answer. If it
 * comes twice, and the source gives right records, the source knows aliases, such as `me`, and nobody has the alias as an
 * id. If it comes once, the source is inconsistent, which says nothing about the record. A source that has given no right
 * record yet is asked for one that its list shows; if even that is another, its claim is disabled.
 */
export function createRecordReader(source: SourceRuntime, get: GetAdapter): ReadRecord {
  const { claims, observer, upstream } = source;
  const right = createRightIds();

  /** The record, or the id of another record that came instead of it. */
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
   * Whether a record that the list shows, other than this one, comes as another one. Nothing is proven if the list cannot be
   * read or shows none, or if there is no list.
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
    // Another record that comes now and then must not hide one that is there.
    const second = await ask(id, context);
    if (second.other?.id !== other.id) throw other.error;
    if (isRight()) return undefined;
    const isWrong = await isListedWrong(other.id, context);
    if (isRight()) return undefined;
    if (isWrong && claims.disable(SINGLE_VIEW, DETAIL)) observer.contradicted(SINGLE_VIEW);
    throw other.error;
  };
}
