import { compileDraft, answererOf, type DraftReport, runInfer } from '../../support/dialects/infer-draft.ts';
import { serve } from '../../support/dialects/serve.ts';
import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { examineFile } from '../harness/examine.ts';
import type { Outcome, RowOptions, TableRow } from '../harness/row.ts';
import { answerSmall, type SmallRow, type SmallService } from './small-service.ts';
import { wrongLines } from '../harness/describe-outcome.ts';

/** What a draft of a small service must be. */
export type DraftRow = SmallService & {
  readonly name: string;
  /** Whether nothing is left to edit, and doctor finds no difference. */
  readonly isPlain: boolean;
  /** The record that v1 has of a row; by default what the row says. */
  readonly truth?: (row: SmallRow) => Partial<Record<string, string | null>>;
  /** Fields of single records, besides those of the list. */
  readonly profile?: (row: SmallRow) => Readonly<Record<string, string | null>>;
  /** The user and the password that the service asks for. */
  readonly login?: readonly [string, string];
  /** What else is wrong with the draft, in a line each. */
  readonly judge?: (report: DraftReport, variables: readonly string[]) => readonly string[];
  /** Ids that no record has, and must be 404. */
  readonly unknown?: readonly string[];
};

type Wrong = { readonly path: string; readonly expected: string; readonly actual: string };

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? `${value}` : null);

function recordOf({ resource, truth }: DraftRow, row: SmallRow): ModelRecord {
  const fields =
    resource === 'users' ? ['name', 'email', 'created_at'] : ['name', 'description', 'price', 'category'];
  const plain = Object.fromEntries(fields.map((field) => [field, text(row[field])]));
  return {
    ...plain,
    ...truth?.(row),
    id: `${resource === 'users' ? 'user' : 'prod'}_${String(row['id'])}`,
  };
}

/** Lists to ask for: pages of all rows, and each value of a filter. */
function questionsTo(
  { resource }: DraftRow,
  records: readonly ModelRecord[],
): readonly Record<string, string>[] {
  const pages = [1, 2, 3].flatMap((page) => [{ page: String(page) }, { page: String(page), limit: '7' }]);
  if (resource === 'users') return [...pages, { limit: '100' }];
  const labels = [...new Set(records.flatMap((record) => record['category'] || []))];
  return [...pages, ...labels.map((category) => ({ category })), { min_price: '3', max_price: '20' }];
}

async function ask(
  row: DraftRow,
  draft: string,
  variables: Readonly<Record<string, string>>,
): Promise<Wrong[]> {
  const { resource, rows, profile, unknown = [] } = row;
  const records = rows.map((one) => recordOf(row, one));
  const answerer = answererOf(compileDraft(draft, variables));
  const wrong: Wrong[] = [];
  const hold = async (path: string, expected: string, isRight: (status: number, body: string) => boolean) => {
    const { status, body } = await answerer.answer(`GET ${path}`);
    // A clear error is no wrong answer where something is to edit.
    if (!isRight(status, body) && (row.isPlain || status < 500))
      wrong.push({ path, expected, actual: `${status} ${body}` });
  };
  try {
    for (const question of questionsTo(row, records)) {
      const page = modelList(resource, records, question);
      if (page.status !== 200) throw new Error(`the question is not one of the contract: ${page.parameter}`);
      const wanted = modelBody(resource, page);
      const path = `/v1/${resource}?${new URLSearchParams(question).toString()}`;
      await hold(path, wanted, (status, body) => status === 200 && body === wanted);
    }
    if (resource === 'products') return wrong;
    for (const [index, { id, ...record }] of records.slice(0, 60).entries()) {
      const wanted = {
        ...record,
        ...(profile && {
          profile: { bio: null, location: null, avatar_url: null, ...profile(rows[index]!) },
        }),
      };
      await hold(`/v1/users/${id}`, JSON.stringify(wanted), (status, body) => {
        if (status !== 200) return false;
        const { data } = JSON.parse(body) as { data: Record<string, unknown> };
        return Object.entries(wanted).every(
          ([field, value]) => JSON.stringify(data[field]) === JSON.stringify(value),
        );
      });
    }
    for (const id of unknown) await hold(`/v1/users/${id}`, '404', (status) => status === 404);
    return wrong;
  } finally {
    answerer.close();
  }
}

/** Each EDIT stands above the key that it is about, or where that key would be written in a list. */
function misplacedEdits({ draft, guesses }: DraftReport): readonly string[] {
  const lines = draft.split('\n');
  const behind = ['total', 'items', 'dropWhen', 'order', 'sort', 'filterJoin', 'filters', 'map'];
  return guesses.flatMap(({ path, confidence, text: said }) => {
    if (confidence !== 'edit') return [];
    const start = said.split(' ').slice(0, 4).join(' ');
    const at = lines.findIndex((line) => line.includes(`# EDIT: ${start}`));
    const key =
      /^ *([\w.]+):/.exec(lines.slice(at).find((line) => !line.trim().startsWith('#')) ?? '')?.[1] ?? '';
    const isList = /\.list\.\w+$/.test(path);
    const last = path.split('.').at(-1) ?? '';
    const isThere = path.endsWith(`.${key}`) || path === key;
    const isBefore = isList && behind.includes(last) && behind.indexOf(key) > behind.indexOf(last);
    const [, about = last] = /\b(order|dropWhen|total|sort): /.exec(said) ?? [];
    if (about !== last) return [`the EDIT about ${about} stands at ${path}`];
    return isThere || isBefore ? [] : [`the EDIT about ${path} stands above ${key}`];
  });
}

async function runDraft(row: DraftRow, _options: RowOptions): Promise<Outcome> {
  const started = performance.now();
  const { login } = row;
  const header = login && `Basic ${Buffer.from(login.join(':')).toString('base64')}`;
  const service = await serve(
    (request) =>
      request.headers.authorization === header
        ? answerSmall(row, request)
        : { status: 401, body: { error: 'unauthorized' } },
    { open: true },
  );
  try {
    const { code, out, err } = await runInfer([
      ...[`${service.origin}/${row.resource}`, '--resource', row.resource, '--name', 'draft', '--json'],
      ...(header === undefined ? [] : ['--header', `Authorization: ${header}`]),
    ]);
    if (code !== 0) throw new Error(err);
    const report = JSON.parse(out) as DraftReport;
    const { draft } = report;
    // These services sort by nothing, so each draft asks about their order.
    const edits = report.guesses.filter(
      ({ path, confidence }) => confidence === 'edit' && !path.endsWith('.list.order'),
    ).length;
    const names = [...new Set(Array.from(draft.matchAll(/\$\{(DRAFT_(?!URL)\w+)/g), ([, name]) => name!))];
    const valueOf = (name: string) => login?.[name.endsWith('_USER') ? 0 : 1] ?? '';
    const variables = Object.fromEntries(names.map((name) => [name, valueOf(name)]));
    const wrong = await ask(row, draft, variables);
    const plain = names.reduce((made, name) => made.replaceAll(`\${${name}}`, valueOf(name)), draft);
    const doctor = row.isPlain ? (await examineFile(plain)).differs : [];
    const failures = [
      ...(wrong.length > 0 ? [`${wrong.length} wrong answers by a draft with ${edits} edits`] : []),
      ...(row.isPlain && edits > 0 ? [`${edits} edits are left`] : []),
      ...doctor.map((line) => `doctor says ${line}`),
      ...misplacedEdits(report),
      ...(row.judge?.(report, names) ?? []),
    ];
    return {
      name: row.name,
      head: `edits ${edits}, wrong ${wrong.length}`,
      failures,
      details: [
        ...wrongLines(wrong),
        ...report.guesses.flatMap((one) => (one.confidence === 'edit' ? [`${one.path}: ${one.text}`] : [])),
      ],
      figures: { asked: row.rows.length, wrong: wrong.length, isFlagged: edits > 0, isContradicted: false },
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await service.close();
  }
}

/** The rows of the table about drafts of small services. */
export function draftRows(rows: readonly DraftRow[]): readonly TableRow[] {
  return rows.map((row) => ({ name: row.name, run: runDraft.bind(undefined, row) }));
}
