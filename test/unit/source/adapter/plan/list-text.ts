import type { ResourceName } from '../../../../support/reference.ts';
import type { ListPlan } from '../../../../../src/source/adapter/plan/plan.ts';
import { adapterOf, queryOf } from '../../../../support/pipeline/source-text.ts';

/** A source whose request and list are given; it counts, and orders by id. */
export const text = (request: string, list: string, resource = 'products') => `
resources:
  ${resource}:
    id: { kind: number }
    list:
      request: ${request}
      window: { kind: offset, sizeMax: 40 }
      total: { at: hits }
      items: rows
      ${list}
      map: ${
        resource === 'products'
          ? '{ id: id, name: name, description: d, category: category, price: price }'
          : '{ id: id, name: name, email: email, created_at: { from: at, as: [iso8601] } }'
      }
    ${resource === 'users' ? "get: { request: { path: '/u/{id}' }, item: '', map: { id: id, name: n, email: e, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null } }" : ''}
`;

/** The plan of a question. */
export const planOf = (source: string, rawQuery: string, resource: ResourceName = 'products'): ListPlan =>
  adapterOf(resource, source).list.plan(queryOf(resource, rawQuery), new Set());

/** A filter of a source, as a condition. */
export const category = "category: { eq: { expr: 'cat eq {value}', escape: odata, exactness: exact } }";
/** A filter of a source, as a condition. */
export const low = "price: { ge: { expr: 'price ge {value}', escape: number, exactness: exact } }";
