import { operations } from '../reference.ts';
import { compileParser, type QueryRules } from '../../../src/contract/parse-query.ts';
import type { GetQuery, ListQuery } from '../../../src/contract/query.ts';
import { GatewayError } from '../../../src/kernel/errors/fault.ts';

function parserOf(name: string, limitOverflow: QueryRules['limitOverflow'] = 'reject') {
  return compileParser(
    operations.find((operation) => operation.name === name)!,
    { limitOverflow },
  );
}

/** What a list operation makes of a raw query string. @throws GatewayError */
export function parseList(
  name: 'users.list' | 'products.list',
  rawQuery: string,
  limitOverflow?: QueryRules['limitOverflow'],
): ListQuery {
  return parserOf(name, limitOverflow)(rawQuery, undefined) as ListQuery;
}

/** What `GET /v1/users/{id}` makes of a raw path segment and query. @throws GatewayError */
export function parseGet(rawId: string, rawQuery = ''): GetQuery {
  return parserOf('users.get')(rawQuery, rawId) as GetQuery;
}

/** The error that `run` must throw. */
export function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
