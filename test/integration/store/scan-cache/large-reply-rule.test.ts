import { compileAdapter } from '../../../../src/source/adapter/compile.ts';
import { type ReplyObserver, UNOBSERVED } from '../../../../src/source/adapter/map/reply-observer.ts';
import { resources } from '../../../support/reference.ts';
import { createLargeReplies } from '../../../../src/pipeline/reading/large-replies/large-replies.ts';
import { replyOf, specOf } from '../../../support/pipeline/source-text.ts';

const spec = specOf(`
outcomes: [{ status: 200, is: ok }, { status: 503, is: rate_limited }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: rows
      map: { id: id, name: name, description: description, price: price, category: category }
`);
const resource = resources.products;
const adapter = compileAdapter(spec, resource, () => undefined)!;
const largeReplies = createLargeReplies({ adapter, resource, source: { spec } });
const told: (number | undefined)[] = [];
const observer: ReplyObserver = { ...UNOBSERVED, onRule: (rule) => told.push(rule) };
beforeEach(() => (told.length = 0));
afterAll(() => largeReplies.close());

const rows = Array.from({ length: 4_000 }, (_, at) => ({
  id: at + 1,
  name: 'as shops have them, '.repeat(3),
}));
const partsOf = (status: number, body: unknown = { rows }) =>
  largeReplies.parts(replyOf(body, { status }), observer, new AbortController().signal);

describe('the rule that decides a large reply is told once, by the thread that reads it', () => {
  it('where its rows are used: they are taken over in parts, of which none is a reply', async () => {
    const parts = await partsOf(200);
    for (const part of parts ?? []) largeReplies.adapter.list.read(part, observer);
    expect([parts!.length > 1, told]).toEqual([true, [0]]);
  });

  it.each([
    ['it says that there were too many', 503, 1],
    ['no rule fits', 302, undefined],
  ])('where %s', async (_what, status, rule) => {
    await expect(partsOf(status)).rejects.toThrow();
    expect(told).toEqual([rule]);
  });

  it('and not where nobody waits for it any more', async () => {
    const caller = new AbortController();
    const gone = largeReplies.parts(replyOf({ rows }), observer, caller.signal);
    caller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    await partsOf(200);
    expect(told).toEqual([0]);
  });
});
