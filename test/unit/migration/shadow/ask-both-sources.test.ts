import { resources } from '../../../support/reference.ts';
import { askBothSources } from '../../../../src/migration/shadow/ask-both-sources.ts';
import type { SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { queryOf } from '../../../support/pipeline/source-text.ts';

const listing =
  (price: string): SourceHandler =>
  () =>
    Promise.resolve({
      ...{ found: true, storedAt: 0, freshSeconds: 1, tags: [] },
      body: Buffer.from(`{"data":[{"id":"prod_1","price":${price}}],"meta":{"total":1}}`),
    });

test('an explanation shows the digits of both sources as they are, with the id of the record', async () => {
  const sources = { legacy: listing('19.9'), new: listing('19.90') };
  const { signal } = new AbortController();
  const found = await askBothSources(resources.products, sources, queryOf('products', 'limit=1'), signal);
  const text = JSON.stringify(found);
  expect(text).toContain('"new":{"data":[{"id":"prod_1","price":19.90}]');
  expect(text).toContain('{"path":"data[].price","kind":"value","id":"prod_1","legacy":19.9,"new":19.90}');
});
