import { modelBody, modelList, type ModelPage, type ModelRecord } from './contract-model.ts';
import type { Capabilities, Row } from './capabilities.ts';
import type { Question } from './rows.ts';
import type { ModelAnswer } from './gateway.ts';

type Parameters = Readonly<Record<string, string>>;

/** A page of a source whose own order is the default: the model knows which rows match, the source their order. */
function inOwnOrder(
  resource: Capabilities['resource'],
  records: readonly ModelRecord[],
  parameters: Parameters,
  page: ModelPage,
): ModelPage {
  const all = modelList(resource, records, { ...parameters, page: '1', limit: '100' });
  if (all.status !== 200) throw new Error('the question is one of the contract');
  const matching = new Set(all.data.map(({ id }) => id));
  const start = (page.meta.page - 1) * page.meta.limit;
  const data = records.filter(({ id }) => matching.has(id)).slice(start, start + page.meta.limit);
  return { ...page, data };
}

/** What an ideal implementation of the contract answers over the rows that can be seen. */
export function expectedAnswer(says: Capabilities, rows: readonly Row[], question: Question): ModelAnswer {
  const records = rows.filter(({ hidden }) => !hidden).map(({ record }) => record);
  if ('id' in question) {
    // A row hidden from lists can be read by its id.
    const found = rows.find(({ record }) => record.id === question.id)?.record;
    if (found === undefined) return null;
    const profile = { bio: null, location: null, avatar_url: null };
    const { id, name, email, created_at } = found;
    return JSON.stringify({ data: { id, name, email, created_at, profile } });
  }
  const page = modelList(says.resource, records, question.list);
  if (page.status !== 200) throw new Error(`the question is not one of the contract: ${page.parameter}`);
  const own = says.order === 'own' && question.list['sort'] === undefined;
  return modelBody(says.resource, own ? inOwnOrder(says.resource, records, question.list, page) : page);
}
