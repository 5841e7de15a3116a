import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { type Service, SERVICE_KEY, startService } from '../harness/start-service.ts';
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

/** How the page that shows the account answers. */
export type AccountPage = 'well' | 500 | 'slow' | 'gone';

/** Such a service at work. */
export type VisitorService = {
  readonly origin: string;
  /** The inner service, whose records are the truth. */
  readonly whole: Service;
  readonly logins: number;
  /** How often the page that shows the account was asked for. */
  readonly proofs: number;
  /** The service does not know any credential any more; `lastingly`: nor will it know new ones. */
  readonly kill: (lastingly: boolean) => void;
  readonly revive: () => void;
  /** How the page that shows the account answers from now on. */
  turnPage(to: AccountPage): void;
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

/** The credentials that the service knows: `SERVICE_KEY`, and tokens that it issues. */
function createAccounts({ auth }: VisitorSpec) {
  const tokens = new Set<string>([SERVICE_KEY]);
  const issued: string[] = [];
  let isLocked = false;

  function credentialOf({ headers, query }: UpstreamRequest): string | undefined {
    if (auth === 'query') return query.get('api_key') ?? undefined;
    if (auth === 'header') return headers['x-key'] as string | undefined;
    return headers.authorization?.replace('Bearer ', '');
  }

  return {
    issued,
    of: (request: UpstreamRequest) => (tokens.has(credentialOf(request) ?? '') ? ACCOUNT : undefined),
    login: () => {
      const token = `token-${issued.length + 1}`;
      issued.push(token);
      if (!isLocked) tokens.add(token);
      return { body: { access_token: token, expires_in: 3_600 } };
    },
    kill: (lastingly: boolean) => {
      tokens.clear();
      isLocked = lastingly;
    },
    revive: () => {
      for (const token of [SERVICE_KEY, ...issued]) tokens.add(token);
      isLocked = false;
    },
  };
}

/** The page that shows the account. */
function showAccount(page: AccountPage, account: string | undefined) {
  if (page === 500) return { status: 500, body: { error: 'broken' } };
  if (page === 'slow') return undefined;
  if (page === 'gone') return { status: 404, body: { error: 'no such page' } };
  return account === undefined
    ? { status: 401, body: { error: 'who?' } }
    : { body: { id: 7, login: account } };
}

/** The reply of the service inside, with the account where the service shows it. */
async function passOn(
  spec: VisitorSpec,
  origin: string,
  request: UpstreamRequest,
  account: string | undefined,
) {
  const reply = await fetch(origin + withoutKey(request), { headers: { 'X-Key': SERVICE_KEY } });
  const body = await reply.text();
  const name = account ?? spec.visitor;
  const isShown = name !== undefined && (reply.ok || spec.onFailures === true);
  const viewer = isShown && spec.shown === 'body' ? `{"viewer":{"login":"${name}"},` : '{';
  const count = reply.headers.get('x-total-count');
  const headers = {
    'Content-Type': 'application/json',
    ...(isShown && spec.shown === 'header' && { 'X-User': name }),
    ...(count !== null && { 'X-Total-Count': count }),
  };
  return { status: reply.status, headers, body: body.replace(/^\{/, viewer) };
}

/** Starts the service. Its credential is `SERVICE_KEY`, or a token that it issues for it. */
export async function startVisitorService(spec: VisitorSpec): Promise<VisitorService> {
  const traits = shapes[spec.shape];
  const all = inventRecords(traits);
  const whole = await startService(traits, all);
  const open = await startService({ ...traits, key: false }, publicRecords(all, spec.sees));
  const accounts = createAccounts(spec);
  let page: AccountPage = spec.shown === 'page' ? 'well' : 'gone';

  let proofs = 0;

  async function answer(request: UpstreamRequest) {
    const account = accounts.of(request);
    if (request.path === '/login') return accounts.login();
    if (request.path === '/me') {
      proofs += 1;
      return showAccount(page, account);
    }
    if (account !== undefined) return passOn(spec, whole.origin, request, account);
    if (spec.sees === 'refused') return { status: 401, body: { error: 'no key' } };
    return passOn(spec, open.origin, request, undefined);
  }

  const front = await startUpstream({
    async onRequest(request, response) {
      const reply = await answer(request);
      if (reply !== undefined) await serving(() => reply).onRequest(request, response);
    },
  });

  return {
    ...{ origin: front.origin, whole, kill: accounts.kill, revive: accounts.revive },
    get logins() {
      return accounts.issued.length;
    },
    get proofs() {
      return proofs;
    },
    turnPage: (to) => (page = to),
    async close() {
      await Promise.all([front.close(), whole.close(), open.close()]);
    },
  };
}
