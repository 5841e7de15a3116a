import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import { codeOf, expectedBody, honest, products, rowsReply, shopText, windowOf } from './shop.ts';

const scanning = (budget: string, change = {}) => shopText({ order: 'unknown', budget, ...change });

describe('a scan within its budget', () => {
  it.each([
    ['rows', 'rows: 30'],
    ['calls', 'calls: 4'],
  ])('of %s is made to the end', async (_what, budget) => {
    const source = openSource(
      'products',
      scanning(`{ ${budget} }`),
      honest(() => products(30)),
    );
    expect(await source.list('limit=5')).toBe(expectedBody('products', products(30), 'limit=5'));
    // Three windows, and a look behind the end that the total names.
    expect(source.calls).toHaveLength(4);
  });

  it('asks for the largest windows, and no more of them than the total needs', async () => {
    const source = openSource(
      'products',
      scanning('{}'),
      honest(() => products(95)),
    );
    await source.list();
    expect(source.calls.map(({ parameters }) => parameters['from'])).toEqual([
      '0',
      '10',
      '20',
      '30',
      '40',
      '50',
      '60',
      '70',
      '80',
      '90',
    ]);
  });

  it('has few calls under way at once', async () => {
    let under = 0;
    let most = 0;
    const source = openSource('products', scanning('{}'), async (asked) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return honest(() => products(200))(asked);
    });
    await source.list();
    expect(most).toBeLessThanOrEqual(3);
  });

  it('goes on behind a short window where the source gives no total, up to the first empty one', async () => {
    const rows = products(30);
    const window = '{ kind: offset, sizeMax: 10, shortPage: anywhere }';
    const source = openSource('products', scanning('{}', { total: '', window }), (asked) => {
      const asIs = windowOf(asked, rows);
      return rowsReply(asked.number === 2 ? asIs.slice(0, 4) : asIs);
    });
    const kept = [...rows.slice(0, 14), ...rows.slice(20)];
    expect(await source.list('limit=50')).toBe(expectedBody('products', kept, 'limit=50'));
  });

  it('does not believe a window that has more rows than were asked for', async () => {
    const source = openSource('products', scanning('{}', { total: '' }), ({ number }) =>
      rowsReply(number === 1 ? products(11) : []),
    );
    expect(await codeOf(source.list())).toBe('upstream_invalid_response');
  });

  it('ends at "past the end" where the source gives no total', async () => {
    const window = '{ kind: offset, sizeMax: 10, shortPage: anywhere }';
    const source = openSource('products', scanning('{}', { total: '', window }), (asked) => {
      const window = windowOf(asked, products(20));
      return window.length === 0 ? replyOf('', { status: 404 }) : rowsReply(window);
    });
    expect(await source.list()).toBe(expectedBody('products', products(20)));
    // Three windows, and a look behind the end that the total names.
    expect(source.calls).toHaveLength(4);
  });
});

describe('a scan over its budget is scan_limit_exceeded, never a part of the truth', () => {
  const endless: Serve = async (asked) => {
    const from = Number(asked.parameters['from']);
    // A reply takes a turn of the event loop, as one from a network does: timers run meanwhile.
    await nextTurn();
    return rowsReply(products(from + 10).slice(from));
  };
  const repeating: Serve = () => rowsReply(products(10));

  it.each<[string, string, object, Serve, number]>([
    ['of rows, known from the total', '{ rows: 29 }', {}, honest(() => products(30)), 1],
    ['of calls, known from the total', '{ calls: 2 }', {}, honest(() => products(30)), 1],
    ['of rows, without a total', '{ rows: 29 }', { total: '' }, honest(() => products(30), false), 3],
    ['of calls, without a total', '{ calls: 2 }', { total: '' }, honest(() => products(30), false), 2],
    [
      'of rows, all at once',
      '{ rows: 29 }',
      { window: '{ kind: none }', query: '{}' },
      honest(() => products(30)),
      1,
    ],
    ['of rows, where there is no end', '{ rows: 100 }', { total: '' }, endless, 11],
  ])('%s', async (_name, budget, change, serve, calls) => {
    const source = openSource('products', scanning(budget, change), serve);
    expect(await codeOf(source.list('limit=5'))).toBe('scan_limit_exceeded');
    expect(source.calls).toHaveLength(calls);
  });

  it('is not what a source is over that gives the same window again and again: it is not believed', async () => {
    const source = openSource('products', scanning('{}', { total: '' }), repeating);
    expect(await codeOf(source.list('limit=5'))).toBe('upstream_invalid_response');
  });

  it('of time, where every reply comes quickly', async () => {
    const source = openSource(
      'products',
      scanning('{ time: 500ms, rows: 10000000, calls: 1000000 }', { total: '' }),
      endless,
    );
    expect(await codeOf(source.list('limit=5'))).toBe('scan_limit_exceeded');
  });

  it('but upstream_timeout where one reply takes most of the time, and the call is cancelled', async () => {
    const source = openSource('products', scanning('{ time: 50ms }'), (asked) => {
      if (asked.number === 1) return honest(() => products(30))(asked);
      return new Promise((_resolve, reject) =>
        asked.signal.addEventListener('abort', () => reject(asked.signal.reason as Error)),
      );
    });
    expect(await codeOf(source.list())).toBe('upstream_timeout');
    for (const { signal } of source.calls) expect(signal.aborted).toBe(true);
  });

  it('does not hold for pages that the source can answer itself', async () => {
    const source = openSource(
      'products',
      shopText({ budget: '{ rows: 1, calls: 1 }' }),
      honest(() => products(30)),
    );
    expect(await source.list('limit=30')).toBe(expectedBody('products', products(30), 'limit=30'));
  });
});

describe('a scan that fails', () => {
  it('in one window ends the others, and says why it failed', async () => {
    const source = openSource('products', scanning('{}'), (asked) => {
      if (asked.number === 1) return honest(() => products(95))(asked);
      if (asked.number === 3) return replyOf('', { status: 500 });
      return new Promise((_resolve, reject) =>
        asked.signal.addEventListener('abort', () => reject(asked.signal.reason as Error)),
      );
    });
    expect(await codeOf(source.list())).toBe('upstream_error');
    expect(source.calls).toHaveLength(4);
    for (const { number, signal } of source.calls)
      if (number === 2 || number === 4) expect(signal.aborted).toBe(true);
  });

  it('is not remembered', async () => {
    const source = openSource('products', scanning('{}'), (asked) =>
      asked.number === 2 ? replyOf('', { status: 500 }) : honest(() => products(30))(asked),
    );
    expect(await codeOf(source.list())).toBe('upstream_error');
    expect(await source.list()).toBe(expectedBody('products', products(30)));
  });
});
