import { readInferTarget } from '../../../../../src/workbench/infer/requests/read-target.ts';
import { singleRecordRequest } from '../../../../../src/workbench/infer/requests/single-record-request.ts';

const HOST = 'http://shop.example';

/** The query of the request for one record, and the variables of the list. */
function queryOf(list: string, one: string) {
  const asked = { method: undefined, body: undefined, headers: [], name: 'shop' };
  const options = { ...asked, url: HOST + list, one: HOST + one, oneBody: undefined };
  return singleRecordRequest(options, readInferTarget(options))?.query;
}

describe('the request for one record, as an operator gives it', () => {
  it.each(['key', 'member_key', 'code'])(
    'has its id, also in a parameter %s, which others use for a credential',
    (name) => expect(queryOf('/list', `/get?${name}=M-7`)).toEqual({ [name]: 'M-7' }),
  );

  it.each([
    ['/list?key=abc', '/get?key=abc&id=7'],
    ['/list', '/get?api_key=abc&id=7'],
    ['/list', '/get?token=abc&id=7'],
  ])('has no credential: of %s and %s', (list, one) => expect(queryOf(list, one)).toEqual({ id: '7' }));
});
