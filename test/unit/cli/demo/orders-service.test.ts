import { sampleCredentials } from '../../../../src/cli/demo/serve.ts';
import { generateOrders } from '../../../../src/cli/demo/data/generate-orders.ts';
import { createOrdersService } from '../../../../src/cli/demo/orders-service.ts';
import { type Answer, ask } from './ask.ts';

const orders = generateOrders({ seed: 1 });
const service = createOrdersService({
  orders,
  credentials: sampleCredentials.orders,
  secretMarker: '~canary~',
});
const token = { 'X-Orders-Token': 'orders-sample-token' };
let base: string;

beforeAll(async () => {
  base = (await service.listen()).url;
});
afterAll(() => service.close());

function send(path: string, init: RequestInit = {}): Promise<Answer> {
  return ask(base + path, { headers: token, ...init });
}

function shown({ status, bytes }: Answer): [number, unknown] {
  return [status, JSON.parse(bytes.toString())];
}

describe('the orders service', () => {
  it('lists orders that are the same for the same seed', async () => {
    expect(generateOrders({ seed: 1 })).toEqual(orders);
    expect(generateOrders({ seed: 2 })).not.toEqual(orders);
    expect(shown(await send('/legacy/orders'))).toEqual([200, { ANZAHL: 40, AUFTRAEGE: orders }]);
  });

  it('shows one order by its number', async () => {
    expect(shown(await send('/legacy/orders/7'))).toEqual([200, { AUFTRAG: orders[6] }]);
    expect(shown(await send('/legacy/orders/0000000007'))).toEqual([200, { AUFTRAG: orders[6] }]);
  });

  it.each(['/legacy/orders/41', '/legacy/orders/0', '/legacy/orders/x', '/legacy/orders/', '/other'])(
    'answers 404 to %s',
    async (path) => {
      expect(shown(await send(path))).toEqual([404, { FEHLER: 'UNBEKANNT' }]);
    },
  );

  it('returns the length in bytes of the posted body, whole or in chunks', async () => {
    const whole = await send('/legacy/orders', { method: 'POST', body: 'Stück' });
    expect(shown(whole)).toEqual([201, { LAENGE: 6 }]);
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(70_000));
        controller.enqueue(new Uint8Array(5));
        controller.close();
      },
    });
    const init = { method: 'POST', body: chunks, duplex: 'half' };
    expect(shown(await send('/legacy/orders', init as RequestInit))).toEqual([201, { LAENGE: 70_005 }]);
    expect(shown(await send('/legacy/orders', { method: 'POST' }))).toEqual([201, { LAENGE: 0 }]);
  });

  it.each([
    ['DELETE', '/legacy/orders'],
    ['POST', '/legacy/orders/7'],
  ])('refuses %s %s with 405', async (method, path) => {
    expect((await send(path, { method })).status).toBe(405);
  });

  it('answers HEAD as GET, without the body', async () => {
    const head = await send('/legacy/orders', { method: 'HEAD' });
    const get = await send('/legacy/orders');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get('content-length')).toBe(String(get.bytes.length));
  });

  it.each([[{}], [{ 'X-Orders-Token': 'wrong' }]])(
    'refuses the token %j with a plain 401',
    async (headers) => {
      const answer = await ask(`${base}/legacy/orders`, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('content-type')).toBe('text/plain');
    },
  );

  it('names its server and sets a session cookie on every answer', async () => {
    const answers = [
      await send('/legacy/orders'),
      await send('/other'),
      await send('/legacy/orders', { headers: {} }),
    ];
    for (const { headers } of answers) {
      expect(headers.get('server')).toBe('Apache-Coyote/1.1');
      expect(headers.getSetCookie()).toEqual(['JSESSIONID=4F2A91~canary~; Path=/legacy; HttpOnly']);
    }
  });
});
