import type { ResourceName } from '../support/reference.ts';
import fc from 'fast-check';
import {
  modelBody,
  modelList,
  type ModelPage,
  type ModelParameters,
  type ModelRecord,
} from '../support/model/contract-model.ts';
import { type ContractQuery, productsQuery, usersQuery } from '../support/model/contract-queries.ts';
import type { Truth, UserTruth } from './truth.ts';

/** A question to v1: a list, or a user by its id. */
export type Question = ContractQuery | { readonly userId: string };

/** What a source has: its resources, and whether the order without a `sort` is its own. */
export type Offered = {
  readonly users: boolean;
  readonly products: boolean;
  /** Resources whose default order is that of the source, which is the order of the data. */
  readonly inOwnOrder: ReadonlySet<ResourceName>;
};

/** What v1 must answer: a body, or the code of an error with the parameter that it names. */
export type Expected =
  | { readonly status: 200; readonly body: string }
  | { readonly status: 404 }
  | { readonly status: 400; readonly parameter: string };

/** Ids that look like one of a record's, and are nobody's. */
function nearMisses(id: string): readonly string[] {
  const own = id.slice('user_'.length);
  return [
    ...[`user_0${own}`, `user_${own}0`, `user_${own} `, `user_ ${own}`, `prod_${own}`, `USER_${own}`, own],
    ...[`user_${own}.0`, `user_-${own}`, `user_+${own}`, `user_${own}'`, `user_${own}" or "1" eq "1`],
    ...[
      `user_${own}/`,
      `user_${own}?x=1`,
      `user_${own}#`,
      `user_${own}&x=1`,
      `user_~3${own}`,
      `user_${own})`,
    ],
    ...[`user_${own.toUpperCase()}X`, `user_${own}%`, `user_${own}*`, `user_${own},1`, `user_${own};1`],
  ];
}

const strangers = [
  ...['user_0', 'user_', 'user_.', 'user_..', 'user_null', 'user_*', 'user_1e3', 'user_0x10', 'user_é'],
  ...[
    'user_99999999',
    'user_2147483648',
    'user_9007199254740993',
    'user_00000000-0000-4000-8000-000000000000',
  ],
  ...['user_me', 'user_count', 'user_$count', 'user_.search', 'user__design', 'user_~2f', 'user_~2e~2e'],
];

const refusals: readonly ContractQuery[] = [
  { resource: 'users', parameters: { limit: '0' } },
  { resource: 'users', parameters: { limit: '101' } },
  { resource: 'users', parameters: { page: '0' } },
  { resource: 'users', parameters: { sort: 'bio' } },
  { resource: 'products', parameters: { min_price: '2', max_price: '1.99' } },
  { resource: 'products', parameters: { category: '' } },
  { resource: 'products', parameters: { max_price: '-1' } },
];

/** So many questions of a seed to a source that holds these records. */
export function inventQuestions(
  { users, products }: Truth,
  offered: Offered,
  options: { readonly seed: number; readonly count: number },
): readonly Question[] {
  const ids = users.map(({ item }) => item.id);
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: fc.constantFrom(...ids).chain((known) => fc.constantFrom(...nearMisses(known))) },
    { weight: 1, arbitrary: fc.constantFrom(...strangers) },
  );
  const kinds: fc.WeightedArbitrary<Question>[] = [];
  if (offered.users) {
    kinds.push({ weight: 8, arbitrary: usersQuery });
    kinds.push({ weight: 6, arbitrary: id.map((userId) => ({ userId })) });
  }
  if (offered.products) kinds.push({ weight: 12, arbitrary: productsQuery(products) });
  const refused = refusals.filter(({ resource }) => offered[resource]);
  kinds.push({ weight: 1, arbitrary: fc.constantFrom(...refused) });
  return fc.sample(fc.oneof(...kinds), { seed: options.seed, numRuns: options.count });
}

/** A page in the order of the data, where that is the default order. */
function pageInOwnOrder(
  resource: ResourceName,
  records: readonly ModelRecord[],
  parameters: ModelParameters,
  page: ModelPage,
): ModelPage {
  const first = { ...parameters, page: '1', limit: '1' };
  const matching = records.filter((record) => {
    const alone = modelList(resource, [record], first);
    return alone.status === 200 && alone.meta.total === 1;
  });
  const start = (page.meta.page - 1) * page.meta.limit;
  return { ...page, data: matching.slice(start, start + page.meta.limit) };
}

function expectedUser(users: readonly UserTruth[], userId: string): Expected {
  const found = users.find(({ item }) => item.id === userId);
  if (found === undefined) return { status: 404 };
  return { status: 200, body: JSON.stringify({ data: { ...found.item, profile: found.profile } }) };
}

/** What an ideal implementation of the contract answers over these records. */
export function expectedAnswer(question: Question, { users, products }: Truth, offered: Offered): Expected {
  if ('userId' in question) return expectedUser(users, question.userId);
  const { resource, parameters } = question;
  const records = resource === 'users' ? users.map(({ item }) => item) : products;
  const page = modelList(resource, records, parameters);
  if (page.status === 400) return page;
  const own = offered.inOwnOrder.has(resource) && parameters['sort'] === undefined;
  const answer = own ? pageInOwnOrder(resource, records, parameters, page) : page;
  return { status: 200, body: modelBody(resource, answer) };
}

/** The path of a question, encoded as a careful client does. */
export function pathOf(question: Question): string {
  if ('userId' in question) return `/v1/users/${encodeURIComponent(question.userId)}`;
  return `/v1/${question.resource}?${new URLSearchParams(question.parameters).toString()}`;
}
