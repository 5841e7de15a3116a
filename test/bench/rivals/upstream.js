// The legacy service behind every server that is measured.
import { createServer } from 'node:http';
import { announce } from './serve.js';

const TOTAL = 10_000_000_000;
const FIRST = ['Zoë', 'Anna', 'João', 'Ömer', 'Łucja', 'Mary', 'Ivan'];
const LAST = ['Müller', 'Nguyen', 'Smith', 'O’Neill', 'García', 'Novák', 'Yılmaz'];

function row(no, isSorted = false) {
  const day = String((no % 28) + 1).padStart(2, '0');
  return {
    no,
    first: FIRST[no % FIRST.length],
    last: LAST[no % LAST.length],
    // Sorted by it as a text, rows stand in the order of their numbers.
    mail: `person.${isSorted ? String(no).padStart(11, '0') : no}@customers.example`,
    created: `2020-05-${day} 12:30:45`,
    password: 'never-to-be-seen',
    branch: { code: 'B7', city: 'Köln' },
  };
}

function page(offset, limit, isSorted = false) {
  const rows = Array.from({ length: limit }, (_, i) => row(offset + i + 1, isSorted));
  return JSON.stringify({ total: TOTAL, rows });
}

/** A page that no load gets to, and that is no list: a check asks for it. */
const RUBBISH_OFFSET = 50 * 1_000_000;

const ORDERS = JSON.stringify(Array.from({ length: 50 }, (_, i) => row(i + 1)));
const FIRST_PAGE = page(0, 50);

await announce(
  createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://upstream');
    // Spans of a gateway that exports them, and events of one that has a webhook.
    if (pathname === '/v1/traces' || pathname === '/webhook') {
      req.resume();
      res.end();
      return;
    }
    const offset = Number(searchParams.get('offset'));
    const limit = Number(searchParams.get('limit'));
    const isSorted = searchParams.get('sort') === 'mail';
    const isFirst = offset === 0 && limit === 50 && !isSorted;
    const users = isFirst ? FIRST_PAGE : page(offset, limit, isSorted);
    const list = offset === RUBBISH_OFFSET ? '{"rows":[{}]}' : users;
    const body = pathname === '/orders' ? ORDERS : list;
    res.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    res.end(body);
  }),
);
