import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { packSeries, unpackSeries } from '../../../../src/telemetry/history/packed-series.ts';

const name = fc.stringMatching(/^[a-zA-Z0-9_.:|-]{1,60}$/);

describe('the counts of a minute in Redis', () => {
  it('are read as they were written', () => {
    const counts = fc.array(fc.tuple(name, fc.nat({ max: 4_000_000_000 })), { maxLength: 300 });
    fc.assert(
      fc.property(counts, (entries) => {
        const minute = new Map(entries);
        expect(unpackSeries(packSeries(minute))).toEqual(minute);
      }),
    );
  });

  it('take about 1,500 bytes for a busy gateway, and never more than 2,000 series', () => {
    const busy = new Map<string, number>();
    for (const operation of [
      'users.list',
      'users.get',
      'products.list',
      'products.get',
      'passthrough.orders',
    ])
      for (const status of ['2xx', '4xx', '5xx'])
        for (const cache of ['hit', 'stale', 'miss', 'none'])
          busy.set(`requests|${operation}|${status}|${cache}`, 1_234);
    for (const histogram of [
      'latency|users.list',
      'latency|products.get',
      'callLatency|crm',
      'callLatency|catalog',
    ])
      for (let bucket = 0; bucket < 15; bucket += 1) busy.set(`${histogram}|${bucket}`, 100 + bucket * 37);
    for (const source of ['crm', 'catalog', 'passthrough.orders'])
      for (const outcome of ['2xx', '5xx', 'upstream_timeout']) busy.set(`calls|${source}|${outcome}`, 5_000);
    expect(packSeries(busy).length).toBeLessThan(1_500);
    const endless = new Map(Array.from({ length: 10_000 }, (_, index) => [`calls|source-${index}|2xx`, 1]));
    expect(unpackSeries(packSeries(endless))?.size).toBe(2_000);
  });

  it('are nothing at all where the bytes are damaged, of somebody else, or unpack to too much', () => {
    const foreign = [
      Buffer.from('not compressed'),
      Buffer.alloc(0),
      deflateRawSync('calls|crm|2xx -5'),
      deflateRawSync('calls crm 5 6'),
      deflateRawSync('calls|crm|2xx 5\n\n'),
      deflateRawSync(`calls|${'x'.repeat(1_000)} 5`),
      deflateRawSync(Buffer.alloc(2_000_000, 'a|b 1\n')),
    ];
    expect(foreign.map(unpackSeries)).toEqual(foreign.map(() => undefined));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const [key, count] of unpackSeries(Buffer.from(bytes)) ?? []) {
          expect(key).toMatch(/^[!-~]{1,200}$/);
          expect(Number.isSafeInteger(count)).toBe(true);
        }
      }),
    );
  });
});
