import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { type Service, SERVICE_KEY, startService } from '../harness/lying-service.ts';
import { inventRecords, type StoredRecord } from '../harness/records.ts';
import { type ShapeName, shapes } from '../harness/traits.ts';

/** Where a service says whom it takes a request for. */
export type Shown = 'body' | 'header' | 'page' | 'nowhere';

/** A service that serves visitors, too: in place of all records, they get some of them. */
export type VisitorSpec = {
  readonly shape: ShapeName;
  readonly auth: 'header' | 'query' | 'session' | 'oauth2';
  readonly shown: Shown;
  /** What visitors are shown where an account stands. Default: nothing. */
  readonly visitor?: string;
  /** Whether replies of failure say whom they are for as well. */
  readonly onFailures?: boolean;
  /** The records that a visitor sees; `same`: all of them, `refused`: none. */
  readonly sees: 'fewer' | 'others' | 'gaps' | 'same' | 'refused';
};

/** Such a service at work. */
export type VisitorService = {
  readonly origin: string;
  /** The inner service, whose records are the truth. */
  readonly whole: Service;
  /** Calls for the list or a record, those of visitors included. */
  readonly logins: number;
  /** The service does not know any credential any more; `lastingly`: nor will it know new ones. */
  kill(lastingly: boolean): void;
  revive(): void;
  /** How the page that shows the account answers from now on. */
  page: 'well' | 500 | 'slow' | 'gone';
  close(): Promise<void>;
};

const ACCOUNT = 'reporting';

/** The records that visitors see. */
function publicRecords(all: readonly StoredRecord[], sees: VisitorSpec['sees']): readonly StoredRecord[] {
  if (sees === 'fewer') return all.filter((_, n) => n % 12 !== 5);
  if (sees === 'others')
    return all.map((one, n) => all[n - (n % 9 === 4 ? 1 : 0)] ?? one).slice(0, all.length);
  if (sees === 'gaps') return all.map((one) => ({ ...one, record: { ...one.record, email: null } }));
  return all;
}

/** The parameters of a request without the credential. */
function withoutKey({ path, query }: UpstreamRequest): string {
  const rest = new URLSearchParams(query);
  rest.delete('api_key');
  return rest.size === 0 ? path : `${path}?${rest.toString()}`;
}

/** Starts the service. Its credential is `SERVICE_KEY`, or a token that it issues for it. */
export async function startVisitorService(spec: VisitorSpec): Promise<VisitorService> {
  const traits = shapes[spec.shape];
  const all = inventRecords(traits);
  const whole = await startService(traits, all);
  const open = await startService({ ...traits, key: false }, publicRecords(all, spec.sees));
  let [issued, isDead, isLocked, logins] = [0, false, false, 0];
  const tokens = new Set<string>([SERVICE_KEY]);

  function credentialOf({ headers, query }: UpstreamRequest): string | undefined {
    if (spec.auth === 'query') return query.get('api_key') ?? undefined;
    if (spec.auth === 'header') return headers['x-key'] as string | undefined;
    return headers.authorization?.replace('Bearer ', '');
  }

  function login() {
    logins += 1;
    issued += 1;
    const token = `token-${issued}`;
    if (!isLocked) tokens.add(token);
    return { body: { access_token: token, expires_in: 3_600 } };
  }

  async function pass(request: UpstreamRequest, account: string | undefined) {
    if (account === undefined && spec.sees === 'refused') return { status: 401, body: { error: 'no key' } };
    const inner = account === undefined ? open : whole;
    const reply = await fetch(inner.origin + withoutKey(request), { headers: { 'X-Key': SERVICE_KEY } });
    const body = await reply.text();
    const isShown = reply.ok || spec.onFailures === true;
    const name = account ?? spec.visitor;
    const viewer =
      isShown && spec.shown === 'body' && name !== undefined ? `{"viewer":{"login":"${name}"},` : '{';
    const header = isShown && spec.shown === 'header' && name !== undefined ? { 'X-User': name } : {};
    const count = reply.headers.get('x-total-count');
    return {
      status: reply.status,
      headers: {
        'Content-Type': 'application/json',
        ...header,
        ...(count !== null && { 'X-Total-Count': count }),
      },
      body: body.replace(/^\{/, viewer),
    };
  }

  const service = { page: 'well' as VisitorService['page'] };

  function showAccount(account: string | undefined) {
    if (service.page === 500) return { status: 500, body: { error: 'broken' } };
    if (service.page === 'slow') return undefined;
    if (service.page === 'gone' || spec.shown !== 'page')
      return { status: 404, body: { error: 'no such page' } };
    return account === undefined
      ? { status: 401, body: { error: 'who?' } }
      : { body: { id: 7, login: account } };
  }

  const front = await startUpstream({
    async onRequest(request, response) {
      const isKnown = !isDead && tokens.has(credentialOf(request) ?? '');
      const account = isKnown ? ACCOUNT : undefined;
      const answer =
        request.path === '/login'
          ? login()
          : request.path === '/me'
            ? showAccount(account)
            : await pass(request, account);
      if (answer !== undefined) await serving(() => answer).onRequest(request, response);
    },
  });

  return Object.assign(service, {
    origin: front.origin,
    whole,
    get logins() {
      return logins;
    },
    kill(lastingly: boolean) {
      tokens.clear();
      [isDead, isLocked] = [lastingly, lastingly];
    },
    revive() {
      tokens.add(SERVICE_KEY);
      [isDead, isLocked] = [false, false];
    },
    close: async () => void (await Promise.all([front.close(), whole.close(), open.close()])),
  });
}
