import type { Counts } from '../harness/counts.ts';
import { type Asked, listQuestion, type Question, textsOf, valueFor } from '../generate/questions.ts';
import type { Random } from '../generate/random.ts';

const LOW = ['at_least', 'above', 'after'];
const HIGH = ['at_most', 'below', 'before'];

function listOf({ model }: Asked, parameters: readonly (readonly [string, string])[]): Question {
  const query = String(
    new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])),
  );
  const names = parameters.map(([name]) => name);
  return {
    ...{ target: `${model.path}${query === '' ? '' : `?${query}`}`, query, id: undefined },
    filters: model.filters.filter(({ name }) => names.includes(name)),
    sort: parameters.find(([name]) => name === 'sort')?.[1],
  };
}

const single = ({ model }: Asked, id: string): Question => ({
  ...{ target: `${model.path}/${encodeURIComponent(id)}`, query: '', id, filters: [], sort: undefined },
});

/** Bounds of one field of which the lower one is not below the other. */
function contradictions(asked: Asked): readonly Question[] {
  const { model } = asked;
  return model.filters
    .filter(({ is }) => LOW.includes(is))
    .flatMap((low) => {
      const high = model.filters.find(({ field, is }) => field === low.field && HIGH.includes(is));
      const { kind } = model.item.find(({ name }) => name === low.field)!;
      const known = textsOf(asked, low.field);
      const isText = kind === 'datetime' || kind === 'date';
      const sorted = [...known].sort((a, b) => (isText ? (a < b ? -1 : 1) : Number(a) - Number(b)));
      if (high === undefined || known.length === 0) return [];
      const [first, last] = [sorted[0]!, sorted.at(-1)!];
      const bounds = [
        [last, first],
        [first, first],
      ] as const;
      return bounds.map(([least, most]) =>
        listOf(asked, [
          [low.name, least],
          [high.name, most],
        ]),
      );
    });
}

/** What every resource is asked once: each page, order and filter, each kind of contradiction, records that are not there. */
function eachOnce(random: Random, asked: Asked): readonly Question[] {
  const { model, rows } = asked;
  const limit = String(model.pages.max);
  const ids = random.shuffled(rows.map(({ truth }) => truth.id)).slice(0, 12);
  const unknown = ['0', '999999999', 'nobody', '~', '../x'].map((one) => `${model.start}${one}`);
  return [
    ...['1', '2', '3', '9', '0', 'x'].map((page) => listOf(asked, [['page', page]])),
    ...['1', limit, String(model.pages.max + 1), '0'].map((size) => listOf(asked, [['limit', size]])),
    listOf(asked, []),
    listOf(asked, [['sort', 'nothing']]),
    ...model.sorts.flatMap((field) =>
      [field, `-${field}`].flatMap((sort) => [
        listOf(asked, [['sort', sort]]),
        listOf(asked, [
          ['sort', sort],
          ['page', '2'],
          ['limit', limit],
        ]),
      ]),
    ),
    ...model.filters.flatMap((filter) =>
      [1, 2].map(() => listOf(asked, [[filter.name, valueFor(random, asked, filter)]])),
    ),
    ...contradictions(asked),
    ...[...ids, ...unknown, ids[0]!.toUpperCase()].map((id) => single(asked, id)),
  ];
}

/** Questions of some resources: all of `eachOnce`, then others, `count` in all. */
export function serviceQuestions(
  random: Random,
  resources: readonly Asked[],
  count: number,
  counts: Counts,
): readonly (readonly [Asked, Question])[] {
  const first = resources.flatMap((asked) =>
    eachOnce(random, asked).map((question) => [asked, question] as const),
  );
  const more = Array.from({ length: Math.max(0, count - first.length) }, () => {
    const asked = random.of(resources);
    return [asked, listQuestion(random, asked, counts)] as const;
  });
  return [...first, ...more];
}
