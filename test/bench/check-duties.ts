import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A gateway whose duties are checked from outside. Its limit is a quarter of `AT_ONCE` a second. */
type CheckedGateway = {
  readonly url: string;
  readonly key: string;
  readonly logFile: string;
  /** The path of a list that is answered with an ETag; it takes a page. */
  readonly list: string;
  readonly passThrough: string;
  /** A page of the list for which the service sends rubbish. */
  readonly rubbishPage: number;
  stopUpstream(): Promise<void>;
  /** How long its log may take. Lines may be written many at a time. */
  readonly logMsMax: number;
};

/** What was asked of a gateway, and what it did. */
type Finding = { readonly what: string; readonly isRight: boolean; readonly found: string };

export const AT_ONCE = 80;

/** Portico says with 503 that it did not reach the service. */
const UNREACHED = [502, 503];

type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;

function asker({ url, key }: CheckedGateway): Ask {
  return async (path, headers) => {
    // By default, `fetch` adds `no-cache` to a request with If-None-Match, which forbids a 304.
    const own = { Authorization: `Bearer ${key}`, 'Cache-Control': 'max-age=0' };
    const answer = await fetch(`${url}${path}`, { headers: { ...own, ...headers } });
    await answer.arrayBuffer();
    return answer;
  };
}

/** The fields of a log line, under the names that pino-http, Fastify and Portico give them. */
type Line = Readonly<Record<string, unknown>> & { readonly req?: object; readonly res?: object };

function missingFields(line: Line): readonly string[] {
  const fields: Readonly<Record<string, unknown>> = { ...line, ...line.req, ...line.res };
  const names = [
    ['time'],
    ['method'],
    ['url', 'path', 'operation'],
    ['durationMs', 'responseTime'],
    ...(statusOf(line) === 401 ? [] : [['caller']]),
  ];
  return names
    .filter((some) => some.every((name) => fields[name] === undefined))
    .map((some) => some.join('/'));
}

const statusOf = ({ status, statusCode, res }: Line): unknown =>
  status ?? statusCode ?? (res as { statusCode?: unknown } | undefined)?.statusCode;

function readLines(log: string): readonly Line[] {
  return log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
}

/** Looks for a line of each status, and for the key, which must be in none. */
async function findInLog({ logFile, key, logMsMax }: CheckedGateway): Promise<readonly Finding[]> {
  const until = performance.now() + logMsMax;
  for (;;) {
    const log = await readFile(logFile, 'utf8');
    const lines = readLines(log.slice(0, log.lastIndexOf('\n') + 1));
    const findings = [200, 401, 429, 502].map((status): Finding => {
      // An error may have a line of its own besides.
      const each = lines.filter((line) => statusOf(line) === status).map(missingFields);
      const [missing = ['line']] = each.toSorted((one, other) => one.length - other.length);
      const found = missing.length === 0 ? 'all fields' : `no ${missing.join(', no ')}`;
      return { what: `the log of a ${String(status)}`, isRight: missing.length === 0, found };
    });
    const hasKey = log.includes(key);
    const secret = { what: 'the key in the log', isRight: !hasKey, found: hasKey ? 'there' : 'not there' };
    if (findings.every(({ isRight }) => isRight) || performance.now() > until) return [...findings, secret];
    await sleep(50);
  }
}

/**
 * Asks a gateway from outside for each of its duties: it knows its callers, limits them, answers 304, tells a failure of
 * the service from one of its own, and logs each request. Its service is stopped on the way.
 */
export async function findDuties(gateway: CheckedGateway): Promise<readonly Finding[]> {
  const { list, passThrough, rubbishPage, key } = gateway;
  const ask = asker(gateway);
  const findings: Finding[] = [];
  const expectStatus = (what: string, expected: readonly number[], { status }: Response) =>
    findings.push({ what, isRight: expected.includes(status), found: String(status) });
  for (const path of [list, passThrough]) {
    expectStatus(`${path} without a key`, [401], await ask(path, { Authorization: '' }));
    expectStatus(`${path} with a wrong key`, [401], await ask(path, { Authorization: `Bearer ${key}x` }));
    expectStatus(`${path} with the key`, [200], await ask(path));
  }
  const etag = (await ask(list)).headers.get('ETag') ?? '';
  expectStatus(`${list} with its ETag`, [304], await ask(list, { 'If-None-Match': etag }));
  const rubbish = await ask(`${list}?page=${String(rubbishPage)}`);
  expectStatus(`${list}, the service sends rubbish`, [502], rubbish);
  await gateway.stopUpstream();
  for (const path of [`${list}?page=${String(rubbishPage + 1)}`, passThrough])
    expectStatus(`${path}, the service is down`, UNREACHED, await ask(path));
  for (const path of [list, passThrough]) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path)));
    const refused = answers.filter(({ status }) => status === 429).length;
    const found = `${String(refused)} of ${String(AT_ONCE)} are 429`;
    findings.push({ what: `${path} over the limit`, isRight: refused > 0, found });
  }
  return [...findings, ...(await findInLog(gateway))];
}

/** What is printed of the duties that were found. @throws Error where a gateway lacks one */
export function dutyLines(name: string, findings: readonly Finding[]): readonly string[] {
  const lacking = findings.filter(({ isRight }) => !isRight);
  if (lacking.length > 0)
    throw new Error(
      `${name} is not measured, because it lacks a duty: ${lacking.map(({ what, found }) => `${what}: ${found}`).join('; ')}`,
    );
  return [`${name} has its duties`, ...findings.map(({ what, found }) => `  ${what}: ${found}`)];
}
