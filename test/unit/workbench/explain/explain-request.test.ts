import { readExplainedRequest } from '../../../../src/workbench/explain/explain-request.ts';
import { parseGateway } from '../../../support/gateway/parse-gateway.ts';
import { GatewayError } from '../../../../src/kernel/errors/fault.ts';

const gateway = parseGateway({ portico: 1, resources: { users: { source: 'crm', public: true } } });

describe('a request to be explained', () => {
  it.each([
    ['GET /v1/users?page=2', 'users.list', { page: 2 }],
    ['/v1/users', 'users.list', { page: 1 }],
    ['head  /v1/users/', 'users.list', { page: 1 }],
    ['GET https://api.example/v1/users?limit=3', 'users.list', { limit: 3 }],
    ['GET /v1/users/user_7', 'users.get', { id: 'user_7' }],
  ])('is read as the gateway does: %s', (text, name, query) => {
    const asked = readExplainedRequest(text, gateway);
    expect(asked).toMatchObject({ operation: { name }, query });
  });

  it.each([
    ['GET /v1/users?limit=0', 'invalid_parameter'],
    ['GET /v1/users/%ff', 'bad_request'],
    ['GET /v1/users/7', 'not_found'],
  ])("carries the client's mistake: %s", (text, code) => {
    const asked = readExplainedRequest(text, gateway);
    if (typeof asked === 'string') throw new Error(asked);
    expect(asked.query).toBeInstanceOf(GatewayError);
    expect(asked.query).toMatchObject({ code });
  });

  it.each([
    ['', 'is not a request'],
    ['GET', 'no operation and no pass-through route has this path'],
    ['GET /v1/users page', 'is not a request'],
    ['GET /v1/users?name=Köln', 'percent-encoded'],
    ['GET /v1/orders', '/v1/products'],
    ['GET /V1/users', 'no operation'],
    ['POST /v1/users', 'GET or HEAD, not POST'],
    ['GET /v1/products', 'does not serve products'],
  ])('is refused where it is to no operation: %j', (text, why) => {
    expect(readExplainedRequest(text, gateway)).toEqual(expect.stringContaining(why));
  });
});
