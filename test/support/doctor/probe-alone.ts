import { referenceContract } from '../reference.ts';
import { compileSourceText } from '../../../src/source/compile-sources.ts';
import type { Claim, Evidence } from '../../../src/source/checks/claim.ts';
import type { Ask } from '../../../src/source/checks/evidence/ask.ts';
import type { Finding } from '../../../src/source/checks/evidence/finding.ts';
import { openFirstWindow } from '../../../src/workbench/doctor/probes/windows/first-window.ts';
import { openSession } from '../../../src/workbench/doctor/session/source-session.ts';
import { createProbedSource } from '../../../src/workbench/doctor/probed-source.ts';
import { takeSample } from '../../../src/workbench/doctor/take-sample.ts';
import { type Answer, serving, startUpstream, type UpstreamRequest } from '../upstream/scripted-upstream.ts';

/** What a small service does with a request. */
export type Service = (request: UpstreamRequest) => Answer;

/** The lines of a source file that a test is about; the others are those of a plain list of products. */
export type FileLines = {
  readonly list?: readonly string[];
  /** The request, window and total, where they are others. */
  readonly window?: readonly string[];
  readonly map?: string;
  /** Lines of the top of the file. */
  readonly top?: readonly string[];
  readonly id?: string;
  /** A file for users, which have a single view. */
  readonly get?: readonly string[];
};

const BY_OFFSET = [
  "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
  'window: { kind: offset, sizeMax: 5 }',
  'total: { at: total }',
];
const PRODUCT = '{ id: id, name: title, description: null, price: null, category: kind }';
const USER = '{ id: id, name: title, email: null, created_at: null }';
const SINGLE =
  '{ id: id, name: title, email: null, created_at: null, profile.bio: bio, profile.location: null, profile.avatar_url: null }';

/** A source file with some lines of a test's own. */
function sourceText(origin: string, lines: FileLines = {}): string {
  const { list = [], window = BY_OFFSET, top = [], id = '{ kind: number }', get } = lines;
  const own = [...window, ...list].map((line) => `      ${line}`);
  const single = get ?? [];
  return [
    'source: 1',
    'name: shop',
    `net: { baseUrl: '${origin}' }`,
    ...(top.some((line) => line.startsWith('outcomes'))
      ? []
      : [
          'outcomes: [{ on: get, status: 404, is: not_found }, { status: 401, is: unauthorized }, { status: 200, is: ok }]',
        ]),
    ...top,
    'resources:',
    get === undefined ? '  products:' : '  users:',
    `    id: ${id}`,
    '    list:',
    ...own,
    '      items: rows',
    `      map: ${lines.map ?? (get === undefined ? PRODUCT : USER)}`,
    ...(get === undefined
      ? []
      : ['    get:', ...single.map((line) => `      ${line}`), `      map: ${SINGLE}`]),
  ].join('\n');
}

/** What a test does with a source that is asked. */
type Look<T> = (ask: Ask, requests: readonly UpstreamRequest[]) => Promise<T>;

/** Asks a small service behind a file, without a gateway. */
export async function withAsk<T>(service: Service, lines: FileLines, look: Look<T>): Promise<T> {
  const upstream = await startUpstream(serving(service));
  const text = sourceText(upstream.origin, lines);
  const [compiled] = compileSourceText(
    { file: 'shop.yaml', text },
    { variables: {}, readFile: () => '' },
    referenceContract,
  );
  if (compiled === undefined) throw new Error('the file describes no resource');
  const session = openSession(compiled.source.spec, { callsMax: 400, keepsReplies: true });
  try {
    const { signal } = new AbortController();
    const { ask } = createProbedSource({ compiled, session, showValues: false, stop: signal });
    return await look(ask, upstream.requests);
  } finally {
    session.close();
    await upstream.close();
  }
}

/** The findings of one probe, and the requests that it sent after the rows of the sample were read. */
export type Probed = { readonly findings: readonly Finding[]; readonly sent: readonly UpstreamRequest[] };

/** Runs the claims that `choose` picks, and no other, against a small service. `failed`: names of claims that differ. */
export async function probeAlone(
  choose: (ask: Ask) => Claim | readonly Claim[],
  service: Service,
  lines: FileLines = {},
  { failed = [], sampleCalls = 40 }: { failed?: readonly string[]; sampleCalls?: number } = {},
): Promise<Probed> {
  return withAsk(service, lines, async (declared, requests) => {
    const { opened } = await openFirstWindow(declared);
    if (opened === undefined) throw new Error('the first window cannot be read');
    const sampled = await takeSample({ ask: opened.ask, first: opened.first }, sampleCalls);
    const evidence: Evidence = { ...sampled, failed: new Set(failed), callsMax: 40 };
    const before = requests.length;
    const findings: Finding[] = [];
    for (const claim of [choose(opened.ask)].flat())
      for await (const finding of claim.probe(evidence)) findings.push(finding);
    return { findings, sent: requests.slice(before) };
  });
}

/** A row of the small service. */
export type Item = { readonly id: number | string; readonly title?: unknown; readonly kind?: string | null };

/** Rows with the ids from 1, and three kinds in turn. */
export const items = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `t${index + 1}`,
    kind: `k${index % 3}`,
  }));

/** A list that keeps every promise of the plain file; `changes` alters one of its replies. */
export function listOf(
  rows: readonly Item[],
  { sizeMax = 5, changes = (body: Page) => body }: ListOptions = {},
): Service {
  return (request) => {
    const { query } = request;
    const kind = query.get('kind');
    const found = rows.filter((row) => kind === null || row.kind === kind);
    const [from, size] = [Number(query.get('from')), Math.min(Number(query.get('n')), sizeMax)];
    const body = { total: found.length, rows: found.slice(from, from + size) };
    return { body: changes(body, request, rows) };
  };
}

/** The reply of the small service. */
export type Page = { readonly total: number; readonly rows: readonly Item[] };
type ListOptions = {
  readonly sizeMax?: number;
  readonly changes?: (body: Page, request: UpstreamRequest, all: readonly Item[]) => unknown;
};
