import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE } from '../../support/gateway/gateway-process.ts';
import { runProcess, startProcess } from '../../support/process/running-process.ts';

/** The one file of a resource in the contract. */
const CONTRACT = `import { defineResource } from './define-resource.ts';
import { decimal, text } from './fields.ts';

/** \`GET /v1/orders\`. */
export const orders = defineResource({
  name: 'orders',
  title: 'order',
  idPrefix: 'order',
  item: { customer: text('Who ordered.'), total: decimal('The sum of the order.') },
  detail: null,
  sorts: ['total'],
  filters: [],
});
`;

/** Its source. In XML all is text, so the literal 0 must be read as the text "0". */
const source = (baseUrl: string) => `source: 1
name: shop
net: { baseUrl: '${baseUrl}' }
decode: { format: xml }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list:
      request: { path: /orders }
      window: { kind: none }
      items: orders.order
      map:
        id: no
        customer: customer
        total: { from: sum, as: [{ nullIf: [0] }, { number: {} }] }
`;

const GATEWAY = `portico: 1
listen: { host: 127.0.0.1, port: 0 }
admin: { port: 0 }
resources:
  orders: { source: shop, public: true }
`;

const ROWS = `<orders>
  <order><no>7</no><customer>Ada</customer><sum>0</sum></order>
  <order><no>8</no><customer>Bo</customer><sum>12.50</sum></order>
  <order><no>9</no><customer>Cy</customer><sum>3</sum></order>
</orders>`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-resource-'));
  for (const name of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'src/contract/orders.ts'), CONTRACT);
  const table = join(folder, 'src/contract/resources.ts');
  const text = readFileSync(table, 'utf8');
  writeFileSync(
    table,
    `import { orders } from './orders.ts';\n${text.replace('{ users, products }', '{ users, products, orders }')}`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('A third resource, of one file in the contract and its name in the table', () => {
  it('has the compiler ask for two things more, both for drafts: what services call it, and its columns', async () => {
    const compiler = join(folder, 'node_modules/typescript/bin/tsc');
    const checked = await runProcess(NODE, [compiler, '-p', join(folder, 'tsconfig.build.json'), '--noEmit']);
    const asked = checked.out.split('\n').filter((line) => line.includes('error'));
    expect(asked).toEqual([
      expect.stringMatching(
        /src\/workbench\/infer\/detect\/usual-names\.ts.*: Property 'orders' is missing/,
      ),
      expect.stringMatching(/src\/workbench\/infer\/map\/choose-columns\.ts.*: Property 'orders' is missing/),
    ]);
  });

  it('is served and explained from its source, whose literals are read in the form of its replies', async () => {
    const upstream = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' }).end(ROWS);
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const config = join(folder, 'portico.yaml');
    writeFileSync(config, GATEWAY);
    mkdirSync(join(folder, 'sources'));
    writeFileSync(join(folder, 'sources/shop.yaml'), source(`http://127.0.0.1:${String(port)}`));
    const main = join(folder, 'src/main.ts');
    const gateway = startProcess(NODE, [main, '--config', config, 'start']);
    try {
      const [line] = await gateway.prints(/^\{.*"msg":"listening"\}$/m);
      const { port: listening } = JSON.parse(line) as { port: number };
      const url = `http://127.0.0.1:${String(listening)}/v1`;
      const answer = await fetch(`${url}/orders?sort=-total&limit=2`);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        '{"data":[{"id":"order_8","customer":"Bo","total":12.50},{"id":"order_9","customer":"Cy","total":3}],"meta":{"total":3,"page":1,"limit":2}}',
      ]);
      const last = await fetch(`${url}/orders?sort=-total&limit=2&page=2`);
      expect(await last.json()).toMatchObject({ data: [{ id: 'order_7', customer: 'Ada', total: null }] });
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
      expect(Object.keys(paths)).toContain('/v1/orders');
      const explained = await runProcess(NODE, [
        main,
        '--config',
        config,
        'explain',
        'GET /v1/orders?limit=1',
      ]);
      expect([explained.code, explained.out]).toEqual([
        0,
        expect.stringMatching(/from shop .*Plan: a scan/s),
      ]);
    } finally {
      await gateway.kill();
      upstream.close();
    }
  });
});
