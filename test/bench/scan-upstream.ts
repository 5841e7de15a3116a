import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A legacy shop of many products, as a process of its own: `/items` gives windows of JSON with a total, and
 * `/all.json`, `/all.csv` and `/all.xml` give everything at once. The number of products is the first argument.
 */

const count = Number(process.argv[2] ?? 50_000);
const WORDS = ['Kettle', 'Écharpe', 'Lampe', 'Stuhl', 'Bücher', 'Trowel', 'Zange', 'Puzzle', 'Ähre', 'Mug'];

const rows = Array.from({ length: count }, (_, at) => {
  const turned = (at * 7_919) % count;
  return {
    no: at + 1,
    title: `${WORDS[turned % WORDS.length] ?? ''} ${turned}`,
    text: `Number ${at} of ${count}, made of nothing but words & figures; a sentence as shops have them.`,
    eur: `${turned % 1_000}.${String(at % 100).padStart(2, '0')}`,
    group: `G${turned % 20}`,
  };
});

const columns = ['no', 'title', 'text', 'eur', 'group'] as const;
const csvRows = rows.map((row) => columns.map((name) => `"${row[name]}"`).join(','));
const csv = Buffer.from([columns.join(','), ...csvRows].join('\n'));
const escaped = (text: string | number) => String(text).replaceAll('&', '&amp;');
const xmlRows = rows.map(
  (row) => `<row>${columns.map((name) => `<${name}>${escaped(row[name])}</${name}>`).join('')}</row>`,
);
const xml = Buffer.from(`<rows>${xmlRows.join('')}</rows>`);
const json = Buffer.from(JSON.stringify({ rows }));

const whole = new Map([
  ['/all.json', { type: 'application/json', body: json }],
  ['/all.csv', { type: 'text/csv', body: csv }],
  ['/all.xml', { type: 'application/xml', body: xml }],
]);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const all = whole.get(pathname);
  if (all !== undefined) {
    response.writeHead(200, { 'content-type': all.type, 'content-length': all.body.length }).end(all.body);
    return;
  }
  const [from, size] = [Number(searchParams.get('from')), Number(searchParams.get('n'))];
  const body = Buffer.from(JSON.stringify({ hits: count, rows: rows.slice(from, from + size) }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit(0));
