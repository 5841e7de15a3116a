import fc from 'fast-check';
import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import type { StoredRecord } from './records.ts';
import type { Traits } from './traits.ts';

/** A question to v1: parameters of the list, or the id of a user. */
export type Question = { readonly list: Readonly<Record<string, string>> } | { readonly id: string };

/** What v1 must answer. */
export type Expected = { readonly status: 200; readonly body: string } | { readonly status: 404 };

const SORTS = ['id', '-id', 'name', '-name', 'email', '-email', 'created_at', '-created_at'];
const LIMITS = ['1', '2', '3', '7', '10', '20', '24', '25', '26', '33', '50', '75', '99', '100'];

const maybe = (values: fc.Arbitrary<string>) => fc.option(values, { nil: undefined, freq: 2 });

/** Values that a careless source takes for a category that it has. */
function nearCategories(category: string): readonly string[] {
  return [
    category.toUpperCase(),
    category.toLowerCase(),
    category.slice(0, 3),
    ` ${category}`,
    `${category} `,
  ];
}

function categoryOf(records: readonly ModelRecord[]): fc.Arbitrary<string> {
  // An empty label cannot be asked for.
  const known = [...new Set(records.flatMap((record) => record['category'] || []))];
  const near = [...known.flatMap(nearCategories), 'Nobody', 'null', '%', '*'];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...known, ...(known.length === 0 ? near : [])) },
    { weight: 3, arbitrary: fc.constantFrom(...near) },
  );
}

function boundsOf(records: readonly ModelRecord[]): fc.Arbitrary<Record<string, string | undefined>> {
  const known = [...new Set(records.flatMap((record) => record['price'] ?? []))];
  const bound = maybe(fc.constantFrom(...known, '0', '0.005', '10', '9.99', '100', '1000'));
  return fc.record({ low: bound, high: bound }).map(({ low, high }) => {
    const crossed = low !== undefined && high !== undefined && Number(low) > Number(high);
    return { min_price: crossed ? high : low, max_price: crossed ? low : high };
  });
}

function idOf(records: readonly ModelRecord[], changed: readonly string[]): fc.Arbitrary<Question> {
  const ids = records.map(({ id }) => id);
  const known = fc.oneof(fc.constantFrom(...ids), fc.constantFrom(...(changed.length > 0 ? changed : ids)));
  const near = known.chain((id) =>
    fc.constantFrom(
      `${id}0`,
      id.replace('_', '_0'),
      `${id}~20`,
      id.slice(0, -1),
      `${id}x`,
      id.toUpperCase().replace('USER', 'user'),
    ),
  );
  const strange = fc.constantFrom('user_me', 'user_count', 'user_0', 'user_999999', 'user_~7c', 'user_~00');
  return fc
    .oneof({ weight: 6, arbitrary: known }, { weight: 3, arbitrary: near }, { weight: 2, arbitrary: strange })
    .map((id) => ({ id }));
}

/** So many questions about a service with these records; all sorts of pages, of which most have rows. */
export function inventQuestions(
  { resource }: Pick<Traits, 'resource'>,
  stored: readonly StoredRecord[],
  {
    seed,
    count,
    changed = [],
  }: { readonly seed: number; readonly count: number; readonly changed?: readonly string[] },
): readonly Question[] {
  const records = stored.map(({ record }) => record);
  const limit = maybe(fc.constantFrom(...LIMITS));
  const share = fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 12, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    { weight: 2, arbitrary: fc.constantFrom(1.1, 3, 4_000_000) },
  );
  const asked =
    resource === 'users'
      ? fc.record({ sort: maybe(fc.constantFrom(...SORTS)) })
      : fc
          .record({
            category: maybe(categoryOf(records)),
            bounds: fc.oneof(fc.constant({}), boundsOf(records)),
          })
          .map(({ category, bounds }) => ({ category, ...bounds }));
  const list = fc
    .record({ limit, share, asked })
    .map(({ limit: size, share: at, asked: given }): Question => {
      const parameters = Object.entries({ limit: size, ...given }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      // A share of all pages of the selection, so that small selections are read too.
      const found = modelList(resource, records, Object.fromEntries(parameters));
      if (found.status !== 200)
        throw new Error(`the question is not one of the contract: ${found.parameter}`);
      const page = 1 + Math.floor((found.meta.total / found.meta.limit) * at);
      return { list: Object.fromEntries([...parameters, ...(page > 1 ? [['page', String(page)]] : [])]) };
    });
  const one = idOf(records, changed);
  const any =
    resource === 'users' ? fc.oneof({ weight: 3, arbitrary: list }, { weight: 2, arbitrary: one }) : list;
  return fc.sample(any, { seed, numRuns: count });
}

/** The path of a question. */
export function pathOf({ resource }: Pick<Traits, 'resource'>, question: Question): string {
  if ('id' in question) return `/v1/users/${encodeURIComponent(question.id)}`;
  return `/v1/${resource}?${new URLSearchParams(question.list).toString()}`;
}

/** The page in the order of the service, where that is the default one. */
function inOwnOrder(
  traits: Traits,
  stored: readonly StoredRecord[],
  { list }: { readonly list: Readonly<Record<string, string>> },
  order: (rows: readonly StoredRecord[]) => readonly StoredRecord[],
): string {
  const { resource } = traits;
  const page = modelList(
    resource,
    stored.map(({ record }) => record),
    list,
  );
  if (page.status !== 200) throw new Error('the question is one of the contract');
  const matching = order(stored).filter(({ record }) => {
    const alone = modelList(resource, [record], { ...list, page: '1' });
    return alone.status === 200 && alone.meta.total === 1;
  });
  const start = (page.meta.page - 1) * page.meta.limit;
  const data = matching.slice(start, start + page.meta.limit).map(({ record }) => record);
  return modelBody(resource, { ...page, data });
}

/** What an ideal implementation of the contract answers. `ownOrder` is there where that is the default order. */
export function expectedAnswer(
  traits: Traits,
  stored: readonly StoredRecord[],
  question: Question,
  ownOrder: ((rows: readonly StoredRecord[]) => readonly StoredRecord[]) | undefined,
): Expected {
  const visible = stored.filter(({ deleted }) => !deleted);
  if ('id' in question) {
    const found = stored.find(({ record }) => record.id === question.id);
    if (found === undefined) return { status: 404 };
    return { status: 200, body: JSON.stringify({ data: { ...found.record, profile: found.profile } }) };
  }
  if (ownOrder !== undefined && question.list['sort'] === undefined)
    return { status: 200, body: inOwnOrder(traits, visible, question, ownOrder) };
  const page = modelList(
    traits.resource,
    visible.map(({ record }) => record),
    question.list,
  );
  if (page.status !== 200) throw new Error(`the question is not one of the contract: ${page.parameter}`);
  return { status: 200, body: modelBody(traits.resource, page) };
}
