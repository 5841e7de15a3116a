import { parse, stringify } from 'yaml';
import type { Breaks } from '../harness/start-service.ts';
import type { TableRow } from '../harness/row.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';
import { type FileTrial, fileRow } from './trial-row.ts';

type Rule = Readonly<Record<string, unknown>>;

const failed: Rule = { status: 200, at: 'error', present: true, is: 'error' };
const ok: Rule = { status: 200, is: 'ok' };
const none: Rule = { on: 'get', status: 404, is: 'not_found' };

/** The file of a service with other rules. */
const withRules = (shape: ShapeName, outcomes: readonly Rule[]) => (origin: string) =>
  stringify({ ...(parse(sourceText(shapes[shape], origin)) as object), outcomes });

/** Answers some questions with status 200, no row and an error, from the first write on. */
const failing =
  (
    when: (ask: { kind: string; category: string | undefined; id: string; first: number }) => boolean,
  ): Breaks =>
  (correct, store) => ({
    reply: (ask, reply) =>
      store.writes > 0 && when(ask)
        ? { body: { error: 'shard 3 is down', total: 0, items: [] } }
        : correct.reply(ask, reply),
  });

const ofTools = failing(({ category }) => category !== undefined && /^t/i.test(category));
const ofOne = failing(({ kind, id }) => kind === 'one' && id.endsWith('1'));

/** Answers that are wrong although doctor passed the file. */
const judge = ({ differs, wrong }: FileTrial) => [
  ...(wrong.length > 0 && differs.length === 0
    ? [`${wrong.length} wrong answers behind a file that doctor passed`]
    : []),
  ...(wrong.length === 0 ? ['no answer was wrong: the row shows nothing'] : []),
];

/** A correct file: errors are errors, and doctor finds nothing. */
const judgeCorrect = ({ differs, wrong }: FileTrial) => [
  ...differs.map((line) => `doctor says ${line}`),
  ...(wrong.length > 0 ? [`${wrong.length} wrong answers behind a correct file`] : []),
];

const faulty: readonly (readonly [string, ShapeName, Breaks, readonly Rule[]])[] = [
  [
    'no first row is the end',
    'offset products',
    ofTools,
    [{ status: 200, at: 'items[0]', present: false, is: 'past_end' }, failed, ok],
  ],
  [
    'a total of 0 is the end',
    'offset products',
    ofTools,
    [{ on: 'list', at: 'total', equals: 0, is: 'past_end' }, failed, ok],
  ],
  ['any 200 is ok', 'whole products', failing(() => true), [ok, failed]],
  ['any 200 is ok, by a filter', 'offset products', ofTools, [ok, failed]],
  ['any success is ok', 'offset products', ofTools, [{ status: '2xx', is: 'ok' }, failed]],
  [
    'a list of rows is ok',
    'offset products',
    ofTools,
    [{ status: 200, at: 'items', present: true, is: 'ok' }, failed],
  ],
  [
    'no id is no record',
    'offset users',
    ofOne,
    [{ on: 'get', status: 200, at: 'id', present: false, is: 'not_found' }, failed, none, ok],
  ],
];

const correct: readonly (readonly [string, ShapeName, Breaks | undefined, readonly Rule[]])[] = [
  [
    'errors above the end',
    'offset products',
    ofTools,
    [failed, { status: 200, at: 'items[0]', present: false, is: 'past_end' }, ok],
  ],
  ['errors above ok', 'offset products', ofTools, [failed, ok]],
  [
    'errors above no record',
    'offset users',
    ofOne,
    [failed, { on: 'get', status: 200, at: 'id', present: false, is: 'not_found' }, none, ok],
  ],
  [
    'errors of another status below',
    'offset users',
    undefined,
    [
      none,
      ok,
      { status: '5xx', is: 'error' },
      { status: 401, is: 'unauthorized' },
      { status: '4xx', is: 'client_bug' },
    ],
  ],
];

/** Files with a rule that hides another one, and correct ones. */
export const hiddenRuleRows: readonly TableRow[] = [
  ...faulty.map(([what, shape, breaks, rules]) =>
    fileRow({
      name: `hidden rule: ${what} (${shape})`,
      shape,
      breaks,
      changes: true,
      textOf: withRules(shape, rules),
      judge,
    }),
  ),
  ...correct.map(([what, shape, breaks, rules]) =>
    fileRow({
      ...{ name: `correct rules: ${what} (${shape})`, shape },
      ...(breaks !== undefined && { breaks }),
      changes: true,
      textOf: withRules(shape, rules),
      judge: judgeCorrect,
    }),
  ),
];
