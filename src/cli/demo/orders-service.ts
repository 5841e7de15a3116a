// The sample service of the orders, which the gateway does not translate but passes through.

import type { LegacyOrder } from './data/generate-orders.ts';
import {
  type LegacyAnswer,
  type LegacyRequest,
  type LegacyService,
  type LegacyServiceOptions,
  createLegacyService,
  textAnswer,
} from './legacy-service.ts';

/** The data of the order desk and its credentials. */
export type OrdersServiceOptions = LegacyServiceOptions & {
  readonly orders: readonly LegacyOrder[];
  readonly credentials: { readonly token: string };
};

const LIST = '/legacy/orders';
const ONE = /^\/legacy\/orders\/0*(\d{1,10})$/;

/**
 * The sample order desk, which the gateway passes through unchanged: German JSON, a session cookie and the server's
 * name in every answer. `POST /legacy/orders` takes any body and returns its length in bytes.
 */
export function createOrdersService(options: OrdersServiceOptions): LegacyService {
  const { orders, credentials, secretMarker = '', latencyMs } = options;
  const byNumber = new Map(orders.map((order) => [String(Number(order.AUFTRAGS_NR)), order]));

  function read(path: string): LegacyAnswer {
    if (path === LIST) return json(200, { ANZAHL: orders.length, AUFTRAEGE: orders });
    const order = byNumber.get(ONE.exec(path)?.[1] ?? '');
    return order === undefined ? json(404, { FEHLER: 'UNBEKANNT' }) : json(200, { AUFTRAG: order });
  }

  async function receiveOrder(body: AsyncIterable<Uint8Array>): Promise<LegacyAnswer> {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return json(201, { LAENGE: bytes });
  }

  async function respond({ method, path, headers, body }: LegacyRequest): Promise<LegacyAnswer> {
    if (headers['x-orders-token'] !== credentials.token) return textAnswer(401, 'Zugriff verweigert');
    if (method === 'GET' || method === 'HEAD') return read(path);
    return method === 'POST' && path === LIST ? await receiveOrder(body) : textAnswer(405, 'Nicht erlaubt');
  }

  async function answer(request: LegacyRequest): Promise<LegacyAnswer> {
    const { status, headers, body } = await respond(request);
    const session = {
      Server: 'Apache-Coyote/1.1',
      'Set-Cookie': `JSESSIONID=4F2A91${secretMarker}; Path=/legacy; HttpOnly`,
    };
    return { status, headers: { ...headers, ...session }, body };
  }

  return createLegacyService(answer, latencyMs);
}

const json = (status: number, value: object) =>
  textAnswer(status, JSON.stringify(value), 'application/json; charset=UTF-8');
