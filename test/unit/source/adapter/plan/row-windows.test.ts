import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { adapterOf, replyOf } from '../../../../support/pipeline/source-text.ts';
import { planOf, text } from './list-text.ts';

describe('windows by the numbers of their rows', () => {
  const at = (request: string, rawQuery: string) => {
    const plan = planOf(text(request, 'order: id'), rawQuery);
    if (plan.kind !== 'page') throw new Error('expected a page');
    return plan.window.cover(50, 25).map((call) => plan.request(call));
  };

  it('stand in a Range header', () => {
    const [first] = at("{ path: /x, headers: { Range: 'items={offset}-{lastRow}', Range-Unit: items } }", '');
    expect(first).toMatchObject({ target: '/x', headers: { Range: 'items=50-74', 'Range-Unit': 'items' } });
  });

  it('stand in parameters for the first row and the one after the last', () => {
    const [first] = at("{ path: /x, query: { _start: '{offset}', _end: '{endRow}' } }", '');
    expect(first?.target).toBe('/x?_start=50&_end=75');
  });

  it('are answered with 206, and with 416 after the last row', () => {
    const list = adapterOf(
      'products',
      `${text("{ path: /x, headers: { Range: '{offset}-{lastRow}' } }", 'order: id').replace('{ at: hits }', "{ header: Content-Range, pattern: '/([0-9]+)' }")}
outcomes: [{ status: 206, is: ok }, { status: 416, on: list, is: past_end }]
`,
    ).list;
    const headers = { 'content-range': 'items 0-0/7' };
    const rows = [{ id: 1, name: '', d: '', category: '', price: 1 }];
    expect(list.read(replyOf({ rows }, { status: 206, headers }), UNOBSERVED)).toMatchObject({
      total: 7,
      received: 1,
    });
    expect(list.read(replyOf('', { status: 416, headers }), UNOBSERVED)).toMatchObject({ received: 0 });
  });
});
