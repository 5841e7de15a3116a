import fc from 'fast-check';
import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import {
  joinWritten,
  sliceWritten,
  writeRecords,
} from '../../../../../src/source/adapter/row-program/written-records.ts';
import { resources } from '../../../../support/reference.ts';
import { adapterOf, replyOf } from '../../../../support/pipeline/source-text.ts';

const resource = resources.products;
const { list } = adapterOf(
  'products',
  `
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /rows }
      window: { kind: offset, sizeMax: 100 }
      items: data.rows
      map: { id: no, name: first, description: null, category: null, price: null }
`,
);

describe('written records', () => {
  it('stand in slices as in a page of their own', () => {
    const all = Array.from({ length: 9 }, (_, index) => `{"no":${index + 1},"first":"n${index}"}`);
    const read = (rows: readonly string[]) => {
      const found = list.readWritten(replyOf(`{"data":{"rows":[${rows.join(',')}]}}`), UNOBSERVED);
      if (!('written' in found)) throw new Error('not written');
      return found.written;
    };
    fc.assert(
      fc.property(fc.nat(9), fc.integer({ min: 1, max: 10 }), (start, count) => {
        const cut = sliceWritten(read(all), start, start + count);
        const rows = all.slice(start, start + count);
        expect(cut.length).toBe(rows.length);
        if (rows.length === 0) expect(cut.bytes.length).toBe(0);
        else
          expect({ bytes: cut.bytes.toString(), tags: cut.tags, ends: cut.ends }).toEqual({
            bytes: read(rows).bytes.toString(),
            tags: read(rows).tags,
            ends: read(rows).ends,
          });
      }),
    );
  });

  it('stand in windows one behind the other as in one window, whether written or read as records', () => {
    const reply = (numbers: readonly number[]) =>
      replyOf(
        `{"data":{"rows":[${numbers.map((no) => `{"no":${no},"first":"ö${no % 3 === 0 ? '' : no}"}`).join(',')}]}}`,
      );
    const written = (numbers: readonly number[]) => {
      const found = list.readWritten(reply(numbers), UNOBSERVED);
      return 'written' in found ? found.written : writeRecords(resource, found.records);
    };
    const recorded = (numbers: readonly number[]) =>
      writeRecords(resource, list.read(reply(numbers), UNOBSERVED).records);
    const windows = fc.array(fc.tuple(fc.boolean(), fc.array(fc.nat(30), { maxLength: 5 })), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(windows, (parts) => {
        const joined = joinWritten(
          parts.map(([isWritten, numbers]) => (isWritten ? written(numbers) : recorded(numbers))),
        );
        const all = recorded(parts.flatMap(([, numbers]) => numbers));
        expect({ ...joined, bytes: joined.bytes.toString(), nulls: undefined }).toEqual({
          ...all,
          bytes: all.bytes.toString(),
          nulls: undefined,
        });
      }),
    );
  });
});
