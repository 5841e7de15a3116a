import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { fewProducts, fewUsers } from '../../support/gateway/sample-services.ts';

/** What a path must be answered with where nothing is wrong: a body to the byte for 200. */
export type Truth = { readonly status: number; readonly body?: string };

/** Says what a path must be answered with; `undefined` where it cannot know. */
export type TruthOf = (path: string) => Truth | undefined;

const lists = {
  users: fewUsers.map<ModelRecord>(({ truth: { profile: _profile, ...item } }) => item),
  products: fewProducts.map<ModelRecord>(({ truth }) => truth),
};

function lookUp(path: string): Truth | undefined {
  const { pathname, searchParams } = new URL(path, 'http://truth');
  const [, version, resource, id] = pathname.split('/');
  if (version !== 'v1' || (resource !== 'users' && resource !== 'products')) return undefined;
  if (id !== undefined) {
    const user = fewUsers.find(({ truth }) => truth.id === id)?.truth;
    return user === undefined ? { status: 404 } : { status: 200, body: JSON.stringify({ data: user }) };
  }
  const page = modelList(resource, lists[resource], Object.fromEntries(searchParams));
  return page.status === 200 ? { status: 200, body: modelBody(resource, page) } : { status: 400 };
}

const known = new Map<string, Truth | undefined>();

/** The truth about the sample services' data, by the model of the contract. */
export const sampleTruth: TruthOf = (path) => {
  if (!known.has(path)) known.set(path, lookUp(path));
  return known.get(path);
};
