import { UNOBSERVED } from '../../../src/source/adapter/map/reply-observer.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';
import { replyOf } from '../../support/pipeline/source-text.ts';
import { readDocument } from './document.ts';

const { blocks } = readDocument('config/docs/sources.md');
const blockOf = (wanted: string) =>
  blocks.find(({ language, section, text }) => `${language} ${section} ${text}`.startsWith(wanted))?.text ??
  '';

it('the functions of the guide read what it says that they read', () => {
  const coercions = blockOf('js coercions');
  const steps = blockOf('yaml map price: { from: cost');
  const shop = `source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: rows
      map:
        id: id
        name: name
${steps.replaceAll(/^/gm, '        ')}`;
  const gateway = `portico: 1
${blockOf('yaml gateway coercions')}resources: { products: { source: shop, public: true } }`;
  const { compiled, problems } = loadTexts({ gateway, coercions, sources: { 'shop.yaml': shop } });
  expect(problems).toEqual([]);
  const rows = [
    {
      id: 1,
      name: 'Sofa',
      cost: '1.299,-',
      categories: [
        { rank: 2, label: 'b' },
        { rank: 1, label: ' Home ' },
      ],
    },
    { id: 2, name: 'Nail', cost: '4,50', categories: [] },
    { id: 3, name: 'Gift', cost: 0, categories: 'none' },
  ];
  const { records } = compiled[0]!.adapter.list.read(replyOf(JSON.stringify({ rows })), UNOBSERVED);
  expect((records as readonly object[]).map((one) => JSON.stringify(one))).toEqual([
    '{"id":"prod_1","name":"Sofa","description":null,"price":1299,"category":"Home"}',
    '{"id":"prod_2","name":"Nail","description":null,"price":4.50,"category":null}',
    '{"id":"prod_3","name":"Gift","description":null,"price":0,"category":null}',
  ]);
});
