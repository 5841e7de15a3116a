import { writesSchema } from '../../../upstreams/writers.ts';
import type { Random } from '../../generate/random.ts';
import type { Shown } from '../../oracle/values.ts';
import * as keep from '../case.ts';

const STATES: Readonly<Record<string, string>> = { O: 'open', S: 'shipped', C: 'cancelled' };
const ARTICLES = ['A-1', 'B 2', 'Ç/3', 'd"4'];

const amount = (random: Random) => random.of([0, 9.9, 19.99, 100, 0.1, random.below(50_000) / 100]);

function line(random: Random): keep.Held {
  const unitPrice = keep.mostly(random, amount(random), null);
  return { article: random.of(ARTICLES), qty: 1 + random.below(9), unitPrice, taxKey: 'K' };
}

function order(random: Random, id: number, customers: readonly number[]): keep.Held {
  const positions = Array.from({ length: random.below(4) }, () => line(random));
  // Half an article is no quantity, so nothing is known of such lines.
  if (random.is(0.05)) positions.push({ article: 'A-1', qty: 1.5, unitPrice: 1 });
  return {
    ...{ id, orderNo: `N-${id}`, state: keep.mostly(random, random.of(['O', 'S', 'C']), 'X') },
    ...{ sum: keep.mostly(random, amount(random), null), itemCount: random.below(12) },
    ...{ paid: random.is(0.5), dueDate: keep.mostly(random, keep.day(random), '2025-02-30') },
    ...{ placedAt: keep.moment(random), customerId: keep.mostly(random, random.of(customers), null) },
    shipping: { city: keep.town(random), zip: String(10_000 + random.below(90_000)) },
    positions: keep.mostly(random, positions, null),
    remark: keep.mostly(random, `For ${keep.person(random)}`, null),
  };
}

const lineIn = ({ article, qty, unitPrice }: keep.Held) => ({
  sku: keep.textText(article),
  quantity: keep.wholeText(qty),
  price: keep.numberText(unitPrice),
});

function linesIn(positions: readonly keep.Held[] | null): Shown {
  const isKnown = positions?.every(({ qty }) => Number.isInteger(qty)) === true;
  return isKnown ? positions.map(lineIn) : null;
}

/** Orders with lines, in the memory of a FeathersJS application. */
export const orders: keep.ServiceCase = {
  server: 'feathers',
  product: '@feathersjs/feathers',
  resources: {
    customers: {
      list: '/customers',
      idOf: ({ id }) => String(id),
      writes: writesSchema.parse({ kind: 'rest', fields: ['companyName', 'city', 'since', 'active'] }),
      truth: (held) => ({
        id: `cus_${held['id']}`,
        company: keep.textText(held['companyName']),
        city: keep.textText(held['city']),
        active: keep.flagText(held['active']),
        since: keep.dayText(held['since']),
      }),
    },
    orders: {
      list: '/orders',
      idOf: ({ id }) => String(id),
      writes: writesSchema.parse({
        kind: 'rest',
        fields: [
          ...['state', 'sum', 'itemCount', 'paid', 'dueDate', 'customerId', 'shipping', 'positions'],
          ...['remark', 'placedAt'],
        ],
      }),
      truth: (held) => ({
        id: `ord_${held['id']}`,
        number: keep.textText(held['orderNo']),
        status: STATES[held['state']] ?? null,
        total: keep.numberText(held['sum']),
        items: keep.wholeText(held['itemCount']),
        paid: keep.flagText(held['paid']),
        due: keep.dayText(held['dueDate']),
        placed_at: keep.instantText(held['placedAt']),
        customer: held['customerId'] === null ? null : `cus_${held['customerId']}`,
        'address.city': keep.textText(held['shipping']?.city),
        'address.zip': keep.textText(held['shipping']?.zip),
        lines: linesIn(held['positions']),
        note: keep.textText(held['remark']),
      }),
    },
  },
  data(random) {
    const ids = keep.numbers(random, 30);
    return {
      customers: ids.map((id) => ({
        ...{ id, companyName: `${keep.person(random)} & Co`, city: keep.town(random) },
        ...{ active: random.is(0.7), since: keep.mostly(random, keep.day(random), null) },
      })),
      orders: keep.numbers(random, 180).map((id) => order(random, id, ids)),
    };
  },
};
