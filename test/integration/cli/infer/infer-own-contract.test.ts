import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../support/command/run-command.ts';
import type { DraftReport } from '../../../support/dialects/infer-draft.ts';
import { notFound, serve, whole } from '../../../support/dialects/serve.ts';
import { startGateway } from '../../../support/gateway/start-gateway.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';
import { createFolder } from '../../../support/process/folder.ts';

const CONTRACT = `contract: 1
version: v3
title: Shop
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: { kind: text, required: true }
      status: { kind: enum, values: [open, shipped, cancelled] }
      channel: { kind: enum, values: [web, shop] }
      total: { kind: decimal, aliases: [amount] }
      items: { kind: integer }
      paid: { kind: boolean }
      gift: { kind: boolean }
      due: { kind: date }
      packed_on: { kind: date }
      placed_at: { kind: datetime }
      customer: { kind: reference, to: customers }
      address: { city: { kind: text }, zip: { kind: text } }
      tags: { kind: list, of: { kind: text } }
      lines: { kind: list, of: { sku: { kind: text }, count: { kind: integer }, price: { kind: decimal } } }
    single: true
    sort: [id, placed_at, total, status, customer]
    filters:
      status: { field: status, is: one_of }
      customer: { field: customer, is: equal }
      min_total: { field: total, is: at_least }
      city: { field: address.city, is: equal }
  customers:
    singular: customer
    id: { prefix: cus }
    fields: { name: { kind: text } }
    single: true
`;

const two = (number: number) => String(number).padStart(2, '0');
const STATES = ['open', 'shipped', 'cancelled'] as const;

/** An order as the service keeps it, and as the contract has it. */
function order(n: number) {
  const [day, month] = [two(1 + (n % 28)), two(1 + (n % 12))];
  const city = ['Köln', 'Bonn', 'Aachen'][n % 3]!;
  const known = n % 9 === 4 ? null : 1 + (n % 5);
  const tags = n % 3 === 0 ? [] : ['new', `t${n}`];
  const lines = Array.from({ length: n % 4 }, (_, at) => ({ sku: `0${at}`, count: at + n, price: n + 0.25 }));
  return {
    row: {
      id: n,
      number: `N-${n}`,
      status: STATES[n % 3]!.toUpperCase(),
      channel: n % 2 === 0 ? 'web' : 'shop',
      amount: n + 0.5,
      items: n % 7,
      paid: n % 4 === 0,
      gift: n % 5 === 0 ? 'Y' : 'N',
      due: `2025-${month}-${day}`,
      packedOn: `${day}.${month}.2025`,
      placed_at: `2025-${month}-${day}T10:00:00+02:00`,
      customer_id: known,
      addr: { city, zip: `0${n}` },
      tags: n % 7 === 0 ? null : tags,
      lines: lines.map(({ price, ...line }) => ({ ...line, price: `${price}`.replace('.', ',') })),
    },
    record: {
      id: `ord_${n}`,
      number: `N-${n}`,
      status: STATES[n % 3]!,
      channel: n % 2 === 0 ? 'web' : 'shop',
      total: n + 0.5,
      items: n % 7,
      paid: n % 4 === 0,
      gift: n % 5 === 0,
      due: `2025-${month}-${day}`,
      packed_on: `2025-${month}-${day}`,
      placed_at: `2025-${month}-${day}T08:00:00Z`,
      customer: known === null ? null : `cus_${known}`,
      address: { city, zip: `0${n}` },
      tags: n % 7 === 0 ? null : tags,
      lines,
    },
  };
}

const orders = Array.from({ length: 45 }, (_, index) => order(index + 1));
const customers = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, name: `Zoe ${index}` }));

function startService() {
  const lists: Readonly<Record<string, readonly { readonly id: number }[]>> = {
    orders: orders.map(({ row }) => row),
    customers,
  };
  return serve(
    ({ path, query }) => {
      const [, name = '', id] = path.split('/');
      const rows = lists[name];
      if (rows === undefined) return notFound;
      const one = rows.find((row) => String(row.id) === id);
      if (id !== undefined) return one === undefined ? notFound : { body: one };
      const offset = whole(query, 'offset', 0);
      return {
        body: { items: rows.slice(offset, offset + whole(query, 'limit', 20)), total: rows.length },
      };
    },
    { open: true },
  );
}

/** Runs `portico infer` beside a contract file. */
async function inferBeside(...args: readonly string[]) {
  const folder = endAfterTest(createFolder('own-contract'));
  mkdirSync(join(folder.path, 'sources'));
  writeFileSync(join(folder.path, 'contract.yaml'), CONTRACT);
  const config = ['-c', join(folder.path, 'portico.yaml')];
  const { code, out, err } = await runCommand([...config, 'infer', ...args, '--json']);
  if (code !== 0) throw new Error(err);
  return { out, file: join(folder.path, 'sources', 'shop.yaml') };
}

const editsIn = ({ guesses }: Pick<DraftReport, 'guesses'>) =>
  guesses.filter(({ confidence }) => confidence === 'edit').map(({ path }) => path);

describe('portico infer for resources that stand in a contract file alone', () => {
  it('drafts every kind so that the answers are those of the service, and asks nothing', async () => {
    const { origin } = endAfterTest(await startService());
    const { out, file } = await inferBeside(
      ...['--resource', `orders=${origin}/orders`, '--resource', `customers=${origin}/customers`],
      ...['--name', 'shop'],
    );
    const report = JSON.parse(out) as { resources: readonly DraftReport[] };
    // Whether the service keeps its rows by id is asked of every list; no field is.
    expect(report.resources.flatMap(editsIn).filter((path) => path.includes('.map.'))).toEqual([]);
    const gateway = endAfterTest(
      await startGateway({ contract: CONTRACT, sources: { 'shop.yaml': readFileSync(file, 'utf8') } }),
    );
    const ask = async (query: string) => (await fetch(`${gateway.url}/v3/orders${query}`)).json();
    const truth = orders.map(({ record }) => record);
    const listed = (found: typeof truth, limit = 100) => ({
      data: found.slice(0, limit),
      meta: { total: found.length, page: 1, limit },
    });
    expect(await ask('?limit=100')).toEqual(listed(truth));
    expect(await ask('/ord_7')).toEqual({ data: truth[6] });
    expect(await ask('?status=shipped,cancelled&limit=100')).toEqual(
      listed(truth.filter(({ status }) => status !== 'open')),
    );
    expect(await ask('?customer=cus_3&limit=100')).toEqual(
      listed(truth.filter(({ customer }) => customer === 'cus_3')),
    );
    expect(await ask('?min_total=30&city=Bonn&limit=100')).toEqual(
      listed(truth.filter(({ total, address }) => total >= 30 && address.city === 'Bonn')),
    );
    expect(await ask('?sort=status&limit=100')).toEqual(
      listed(truth.toSorted((a, b) => STATES.indexOf(a.status) - STATES.indexOf(b.status))),
    );
  });

  it('drafts a list by the path that is named for it, and refuses one that no record has', async () => {
    const { origin } = endAfterTest(await startService());
    const named = ['--resource', 'orders', '--name', 'shop', '--map'];
    const { out } = await inferBeside(`${origin}/orders`, ...named, 'tags=lines');
    expect((JSON.parse(out) as DraftReport).guesses).toContainEqual({
      path: 'resources.orders.list.map.tags',
      confidence: 'edit',
      text: 'the elements of lines are not those of tags: is it this list?',
    });
    await expect(inferBeside(`${origin}/orders`, ...named, 'tags=number')).rejects.toThrow(
      'no record has a value at number, which is named for tags\n    hint: the records have tags, lines',
    );
  });

  it('asks for the other resource if a field refers to one that the file does not describe', async () => {
    const { origin } = endAfterTest(await startService());
    const { out } = await inferBeside(`${origin}/orders`, '--resource', 'orders', '--name', 'shop');
    const report = JSON.parse(out) as DraftReport;
    expect(report.draft).toMatch(/^ +customer: null/m);
    const [guess] = report.guesses.filter(({ path }) => path === 'resources.orders.list.map.customer');
    expect(guess).toEqual({
      path: 'resources.orders.list.map.customer',
      confidence: 'edit',
      text: expect.stringContaining(
        'customer_id looks like the ids of customers: add customers to this file',
      ),
    });
  });

  it('keeps the draft although no column is that of a field that is never null, and asks for it', async () => {
    const rows = orders.slice(0, 12).map(({ row: { id, amount } }) => ({ id, amount }));
    const service = await serve(({ path }) => (path === '/orders' ? { body: rows } : notFound), {
      open: true,
    });
    const { origin } = endAfterTest(service);
    const { out } = await inferBeside(`${origin}/orders`, '--resource', 'orders', '--name', 'shop');
    const report = JSON.parse(out) as DraftReport;
    expect(editsIn(report)).toContain('resources.orders.list.map.number');
    expect(report.trials[0]).toMatchObject({ request: 'GET /v3/orders?limit=10', status: 502 });
  });
});
