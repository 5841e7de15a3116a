import { setTimeout as sleep } from 'node:timers/promises';
import type { UserTruth } from '../../../src/cli/demo/data/generate-users.ts';
import {
  type Answer,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';
import { offsetList } from '../../support/upstream/offset-list-yaml.ts';

/** What a service does instead of answering as it should. */
export type Faults = {
  /** The share of the calls that fail with 500, from 0 to 1. */
  failing: number;
  /** The share of the calls that never end. */
  hanging: number;
  /** The share of the calls of single records that are answered with another e-mail address, this once. */
  faulty: number;
  /** How long each answer takes, in milliseconds. */
  delayMs: number;
  /** Whether it fails with 500 at this question. */
  failsAt: (request: Pick<UpstreamRequest, 'path' | 'query'>) => boolean;
  /** A record as this service has it; `undefined`: it has none. */
  change: (user: UserTruth) => UserTruth | undefined;
};

/** What a service has been asked. */
export type CallLog = {
  /** When each call came, as `performance.now()` tells it. */
  readonly moments: readonly number[];
  /** The most calls that were under way at once: neither answered, nor given up by who asked. */
  readonly mostAtOnce: number;
};

/** One of two services over one model. Both can do all that v1 asks for. */
export type ModelService = {
  readonly upstream: ScriptedUpstream;
  readonly asked: CallLog;
  /** May be changed at any time. */
  readonly faults: Faults;
  /** The text of its source file. */
  readonly source: string;
};

type Column = 'id' | 'name' | 'email' | 'created_at';

const bytesOf = (text: string) => Buffer.from(text.normalize('NFC'));
const numberOf = ({ id }: UserTruth) => BigInt(id.replace('user_', ''));
const byId = (a: UserTruth, b: UserTruth) => (numberOf(a) < numberOf(b) ? -1 : 1);

/** In the order of v1: by code point, unknown values last in both directions, ties by ascending id. */
function sortedBy(users: readonly UserTruth[], column: Column, isDescending: boolean): readonly UserTruth[] {
  const sign = isDescending ? -1 : 1;
  if (column === 'id') return users.toSorted((a, b) => sign * byId(a, b));
  return users.toSorted((a, b) => {
    const [left, right] = [a[column], b[column]];
    if (left === null || right === null) return Number(left === null) - Number(right === null) || byId(a, b);
    return sign * bytesOf(left).compare(bytesOf(right)) || byId(a, b);
  });
}

/** Answers lists and single records; the order of each kind of list is made once for a model and its change. */
function createAnswers(model: readonly UserTruth[]) {
  const kept = new WeakMap<Faults['change'], Map<string, readonly UserTruth[]>>();

  function listed(change: Faults['change'], by: Column, isDescending: boolean): readonly UserTruth[] {
    const orders = kept.get(change) ?? new Map<string, readonly UserTruth[]>();
    kept.set(change, orders);
    const key = `${by} ${String(isDescending)}`;
    const users =
      orders.get(key) ??
      sortedBy(
        model.map(change).filter((one) => one !== undefined),
        by,
        isDescending,
      );
    orders.set(key, users);
    return users;
  }

  return function answer({ path, query }: UpstreamRequest, change: Faults['change']): Answer {
    const [, , id] = path.split('/');
    if (id !== undefined) {
      const found = model.find((user) => user.id === `user_${id}`);
      const user = found && change(found);
      return user === undefined ? { status: 404, body: {} } : { body: user };
    }
    const by = (query.get('by') ?? 'id') as Column;
    const users = listed(change, by, query.get('direction') === 'desc');
    const from = Number(query.get('from'));
    const rows = users.slice(from, from + Number(query.get('count')));
    return { body: { total: users.length, rows: rows.map(({ profile: _profile, ...row }) => row) } };
  };
}

/** A call that is given up is seen a moment later than the next one, which its caller has begun since. */
const SEEN_AFTER_MS = 20;

/** Notes calls as they come and end. A call shorter than the moment after which it is looked at counts for none at once. */
function createCallLog() {
  const log = { moments: [] as number[], mostAtOnce: 0 };
  let now = 0;
  return {
    log,
    /** Notes a call on this connection; returns what ends it. */
    begin({ socket }: UpstreamRequest): () => void {
      log.moments.push(performance.now());
      now += 1;
      setTimeout(() => (log.mostAtOnce = Math.max(log.mostAtOnce, now)), SEEN_AFTER_MS);
      function end(): void {
        now -= 1;
        socket.off('close', end);
      }
      socket.once('close', end);
      return end;
    },
  };
}

const sourceOf = (name: string, baseUrl: string) => `source: 1
name: ${name}
net: { baseUrl: '${baseUrl}', timeout: 1m, concurrency: 256, queue: { time: 1m } }
outcomes:
  - { status: 200, is: ok }
  - { status: 404, on: get, is: not_found }
  - { status: 5xx, is: error }
resources:
  users:
    id: { kind: number, pattern: 'user_([0-9]+)' }
    ${offsetList('/users')}
      sort:
        query: { by: '{column}', direction: '{direction}' }
        columns: { id: id, name: name, email: email, created_at: created_at }
      map: { id: id, name: name, email: email, created_at: { from: created_at, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map:
        id: id
        name: name
        email: email
        created_at: { from: created_at, as: [iso8601] }
        profile.bio: profile.bio
        profile.location: profile.location
        profile.avatar_url: profile.avatar_url
`;

const withOtherEmail: Faults['change'] = (user) => ({ ...user, email: 'other@example.com' });

/** Starts a service over the model, with a source file of this name. */
export async function startModelService(name: string, model: readonly UserTruth[]): Promise<ModelService> {
  const faults: Faults = {
    ...{ failing: 0, hanging: 0, faulty: 0, delayMs: 0 },
    ...{ failsAt: () => false, change: (user) => user },
  };
  const answer = createAnswers(model);
  const callLog = createCallLog();
  // Not by chance: of 100 calls in a row, just as many fail as the share says.
  let calls = 0;
  const isOneOf = (share: number) => Math.floor(calls * share) > Math.floor((calls - 1) * share);

  async function respond(request: UpstreamRequest): Promise<Answer> {
    calls += 1;
    const end = callLog.begin(request);
    const [isHanging, isFailing] = [isOneOf(faults.hanging), isOneOf(faults.failing)];
    const change = isOneOf(faults.faulty) ? withOtherEmail : faults.change;
    if (isHanging) return undefined;
    if (faults.delayMs > 0) await sleep(faults.delayMs);
    end();
    return isFailing || faults.failsAt(request) ? { status: 500, body: {} } : answer(request, change);
  }

  const upstream = await startUpstream(serving(respond));
  return { upstream, asked: callLog.log, faults, source: sourceOf(name, upstream.origin) };
}

/** A change by which every record tells that it is from the new service. */
export function marked(user: UserTruth): UserTruth {
  return { ...user, name: `${MARK} ${user.name ?? ''}` };
}

const MARK = 'from the new service';

/** Whether a body holds records of the new service, given that it has them `marked`. */
export const isMarked = (body: string): boolean => body.includes(MARK);
