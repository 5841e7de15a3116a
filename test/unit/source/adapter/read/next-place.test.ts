import { compileNext } from '../../../../../src/source/adapter/read/next.ts';
import { CHECKED } from '../../../../../src/source/adapter/spec/spec-location.ts';
import type { ListSpec } from '../../../../../src/config/schema/source.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';

const WINDOWS = {
  link: { kind: 'link', sizeMax: 20, next: { at: 'links.next' } },
  cursor: { kind: 'cursor', sizeMax: 20, next: 'links.next' },
  continue: { kind: 'continue', sizeMax: 20, next: 'links.next' },
} as const;
const KINDS = ['link', 'cursor', 'continue'] as const;

/** What names the next window of a list whose rows stand at `items`. */
function nextOf(kind: keyof typeof WINDOWS, body: string, items = 'rows'): string | undefined {
  const list = { window: WINDOWS[kind], request: { path: '/rows', query: {} }, filters: {}, items };
  const next = compileNext(list as unknown as ListSpec, { baseUrl: 'https://shop.example' }, CHECKED);
  return next?.(replyOf(''), readJson(body), []);
}

describe.each(KINDS)('the place around the name of the next window, of the kind %s', (kind) => {
  it.each([
    '{"links":"https://shop.example/rows?c=2"}',
    '{"links":[{"rel":"next"}]}',
    '{"links":true}',
    '{"links":7}',
  ])('is no end where something else stands there: %s', (body) =>
    expect(refusal(() => nextOf(kind, body)).detail).toContain('no object stands at "links"'),
  );

  it.each(['{"links":[]}', '{"links":null}', '{"links":{}}', '{"links":""}', '{"links":false}', '{}'])(
    'is the end where nothing stands there: %s',
    (body) => expect(nextOf(kind, body)).toBeUndefined(),
  );

  it('is not looked at where the rows are in it, which say so themselves', () => {
    expect(nextOf(kind, '{"links":[1]}', 'links.rows')).toBeUndefined();
  });
});
