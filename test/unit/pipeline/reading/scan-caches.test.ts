import { holding } from '../../../support/pipeline/held-calls.ts';
import { openSource } from '../../../support/pipeline/scripted-source.ts';
import { parseList } from '../../../support/pipeline/parse-as.ts';
import { createSourceCall } from '../../../support/pipeline/call.ts';
import { codeOf, expectedBody, filtersOf, honest, products, shopText } from './shop.ts';

const rows = products(25).map((one, i) => ({
  ...one,
  category: i % 2 === 0 ? 'Toys' : 'Books',
  price: String(i),
}));
const scanning = (change = {}) => shopText({ order: 'unknown', ...change });
const CALLS_OF_A_SCAN = 3;

describe('the rows of one scan', () => {
  it('serve every page, filter and order of further questions', async () => {
    const source = openSource(
      'products',
      scanning(),
      honest(() => rows),
    );
    const questions = [
      'limit=5',
      'limit=5&page=2',
      'limit=5&page=9',
      'category=Toys',
      'min_price=3&max_price=11',
      'category=Books&limit=2&page=3',
      'limit=5',
    ];
    for (const raw of questions) expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it('serve a call that may not scan, which is refused where there are none, and has none read anew', async () => {
    const source = openSource(
      'products',
      scanning({ budget: '{ snapshot: 30s }' }),
      honest(() => rows),
    );
    const call = { ...createSourceCall(parseList('products.list', 'limit=5')), mayScan: false };
    expect(await codeOf(source.answer(call))).toBe('scan_limit_exceeded');
    expect(source.calls).toHaveLength(0);
    await source.list('limit=5&page=2');
    source.clock.advance(25_000);
    expect(await source.answer(call)).toMatchObject({
      body: Buffer.from(expectedBody('products', rows, 'limit=5')),
    });
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it('are read once for all who ask at the same time', async () => {
    const { serve, release } = holding(honest(() => rows));
    const source = openSource('products', scanning(), serve);
    const questions = ['limit=5', 'limit=5&page=2', 'category=Toys', 'min_price=3'];
    const bodies = await release(Promise.all(questions.map((raw) => source.list(raw))));
    expect(bodies).toEqual(questions.map((raw) => expectedBody('products', rows, raw)));
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it('are one scan for each thing that the source is asked to filter by', async () => {
    const source = openSource(
      'products',
      scanning({ filters: filtersOf('superset') }),
      honest(() => rows),
    );
    for (const raw of ['category=Toys', 'category=Toys&page=2', 'category=Books', 'category=Toys'])
      expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    const asked = source.calls.map(({ parameters }) => parameters['cat']);
    expect(new Set(asked)).toEqual(new Set(['Toys', 'Books']));
    expect(asked).toHaveLength(4);
  });

  it('stay the same while they live, whatever happens at the source', async () => {
    let now = rows;
    const source = openSource(
      'products',
      scanning(),
      honest(() => now),
    );
    await source.list('limit=5');
    now = rows.slice(0, 10);
    expect(await source.list('limit=5&page=4')).toBe(expectedBody('products', rows, 'limit=5&page=4'));
  });

  it('do not live at all where the operator says so', async () => {
    const source = openSource(
      'products',
      scanning({ budget: '{ snapshot: 0s }' }),
      honest(() => rows),
    );
    await source.list();
    await source.list();
    expect(source.calls).toHaveLength(2 * CALLS_OF_A_SCAN);
  });

  it('live from the start of their scan: what took longer to read than it may live is not kept', async () => {
    const source = openSource('products', scanning({ budget: '{ snapshot: 30s }' }), (asked) => {
      source.clock.advance(10_000);
      return honest(() => rows)(asked);
    });
    await source.list();
    await source.list();
    expect(source.calls).toHaveLength(2 * CALLS_OF_A_SCAN);
  });

  it('make answers that are fresh for as long as any other, though the rows do not live', async () => {
    const source = openSource(
      'products',
      scanning({ budget: '{ snapshot: 0s }' }),
      honest(() => rows),
    );
    expect(await source.fill(parseList('products.list', ''))).toMatchObject({ freshSeconds: 10 });
  });

  it('are as old as the start of their scan, on every answer', async () => {
    const source = openSource('products', scanning({ budget: '{ snapshot: 30s }' }), (asked) => {
      source.clock.advance(500);
      return honest(() => rows)(asked);
    });
    const start = source.clock.now();
    // Fresh for two thirds of the snapshot's life: a later question has it replaced before it ends.
    for (const freshSeconds of [20, 20, 30]) {
      expect(await source.fill(parseList('products.list', 'limit=5'))).toMatchObject({
        storedAt: start,
        freshSeconds,
      });
      source.clock.advance(9_500);
    }
  });
});

describe('a caller that goes while its scan runs', () => {
  it('cancels it, because nobody waits for it', async () => {
    const { serve, held } = holding(honest(() => rows));
    const source = openSource('products', scanning(), serve);
    const caller = new AbortController();
    const answer = source.list('limit=5', caller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toHaveLength(1);
    caller.abort(new Error('client gone'));
    await expect(answer).rejects.toThrow('client gone');
    expect(source.calls[0]!.signal.aborted).toBe(true);
  });

  it('leaves it to those who stay', async () => {
    const { serve, release } = holding(honest(() => rows));
    const source = openSource('products', scanning(), serve);
    const caller = new AbortController();
    const gone = source.list('limit=5', caller.signal);
    const stays = source.list('limit=6');
    caller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    expect(await release(stays)).toBe(expectedBody('products', rows, 'limit=6'));
    expect(source.calls).toHaveLength(CALLS_OF_A_SCAN);
  });

  it('leaves nothing behind for the next, who scans anew', async () => {
    const { serve, release } = holding(honest(() => rows));
    const source = openSource('products', scanning(), serve);
    const caller = new AbortController();
    const gone = source.list('limit=5', caller.signal);
    caller.abort(new Error('client gone'));
    const next = source.list('limit=5');
    await expect(gone).rejects.toThrow('client gone');
    expect(await release(next)).toBe(expectedBody('products', rows, 'limit=5'));
  });
});
