import { idOf, manyRows, type Row, type RowSource } from './rows.ts';
import { type Dialect, notFound, whole } from './serve.ts';

const COUNT = 23;

const salesforceRows: RowSource = {
  example: 'salesforce',
  resource: 'users',
  items: 'records',
  id: 'Id',
};

/** Salesforce: windows name the next by a path. */
export function salesforce(): Dialect {
  const rows = manyRows(salesforceRows, COUNT);
  const root = '/services/data/v61.0';
  return ({ path, query }) => {
    if (path.startsWith(`${root}/sobjects/User/`)) {
      const row = rows.find((one) => path.endsWith(idOf(one, salesforceRows)));
      return row === undefined
        ? {
            status: 404,
            body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
          }
        : {
            body: {
              ...row,
              IsActive: true,
              UserType: 'Standard',
              AboutMe: null,
              City: 'Paris',
              MediumPhotoUrl: 'https://demo.file.force.com/p/M',
            },
          };
    }
    if (path === `${root}/query` && query.get('q') === null)
      return { status: 400, body: [{ errorCode: 'MALFORMED_QUERY' }] };
    if (!path.startsWith(`${root}/query`)) return notFound;
    const first = Number(/-(\d+)$/.exec(path)?.[1] ?? '0');
    const done = first + 10 >= rows.length;
    const next = done ? {} : { nextRecordsUrl: `${root}/query/01gRO0000016PIAYA2-${first + 10}` };
    return { body: { totalSize: rows.length, done, ...next, records: rows.slice(first, first + 10) } };
  };
}

const servicenowRows: RowSource = {
  example: 'servicenow',
  resource: 'users',
  items: 'result',
  id: 'sys_id',
};

/** ServiceNow: a link to the next window, and a total that counts what access rules hide. */
export function servicenow(): Dialect {
  const rows = manyRows(servicenowRows, COUNT);
  return ({ path, query, origin }) => {
    const table = '/api/now/table/sys_user';
    if (path.startsWith(`${table}/`)) {
      const row = rows.find((one) => path.endsWith(idOf(one, servicenowRows)));
      return row === undefined
        ? { status: 404, body: { error: { message: 'No Record found' }, status: 'failure' } }
        : { body: { result: { ...row, city: 'Kansas City' } } };
    }
    if (path !== table) return notFound;
    const limit = whole(query, 'sysparm_limit', 10_000);
    const first = whole(query, 'sysparm_offset', 0);
    const next = new URL(`${origin}${path}?${query.toString()}`);
    next.searchParams.set('sysparm_offset', String(first + limit));
    const link = first + limit < rows.length ? { Link: `<${next.href}>;rel="next"` } : {};
    return {
      body: { result: rows.slice(first, first + limit) },
      headers: { 'X-Total-Count': String(rows.length + 5), ...link },
    };
  };
}

const graphqlRows: RowSource = {
  example: 'graphql',
  resource: 'users',
  items: 'data.users.edges',
  id: 'node.id',
};

/** GraphQL with a connection. */
export function graphql(): Dialect {
  const rows = manyRows(graphqlRows, COUNT);
  return ({ body }) => {
    if (body === '') return { status: 400 };
    const { query, variables = {} } = JSON.parse(body) as { query: string; variables?: Row };
    if (!query.includes('users(')) {
      const row = rows.find((one) => idOf(one, graphqlRows) === variables['id']);
      return {
        body: {
          data: {
            user:
              row === undefined
                ? null
                : {
                    ...(row['node'] as Row),
                    profile: { bio: null, location: 'London', avatarUrl: 'https://cdn.example/a.png' },
                  },
          },
        },
      };
    }
    const first = Math.min(Number(variables['first'] ?? 10), 100);
    const start =
      variables['after'] === undefined || variables['after'] === null
        ? 0
        : Number(Buffer.from(variables['after'] as string, 'base64').toString());
    const end = start + first;
    const pageInfo = {
      hasNextPage: end < rows.length,
      endCursor: Buffer.from(String(end)).toString('base64'),
    };
    return {
      body: { data: { users: { totalCount: rows.length, pageInfo, edges: rows.slice(start, end) } } },
    };
  };
}

const odooRows: RowSource = {
  example: 'json-rpc-odoo',
  resource: 'products',
  items: 'result',
  id: 'id',
};

/** JSON-RPC as Odoo speaks it. */
export function odoo(): Dialect {
  const rows = manyRows(odooRows, COUNT);
  return ({ path, body }) => {
    if (body === '') return { status: 400 };
    if (path.endsWith('/search_count')) return { body: { jsonrpc: '2.0', id: null, result: rows.length } };
    const { params } = JSON.parse(body) as {
      params: { kwargs: { offset?: number; limit?: number; order?: string } };
    };
    const { offset = 0, limit = 80, order = '' } = params.kwargs;
    const ordered = order.includes('desc') ? rows.toReversed() : rows;
    return { body: { jsonrpc: '2.0', id: null, result: ordered.slice(offset, offset + limit) } };
  };
}

function contact(n: number): string {
  const nil = n % 4 === 3;
  const email = nil ? '<ns2:Email xsi:nil="true"/>' : `<ns2:Email>u${n}@example.com</ns2:Email>`;
  const created = n % 5 === 4 ? '0001-01-01T00:00:00' : `2019-07-01T09:15:${String(n + 10)}`;
  return `<ns2:Contact status="A"><ns2:ContactNo>${String(712 + n).padStart(8, '0')}</ns2:ContactNo><ns2:FirstName>Jürgen</ns2:FirstName><ns2:LastName>Weiß ${n}</ns2:LastName>${email}<ns2:CreatedOn>${created}</ns2:CreatedOn></ns2:Contact>`;
}

/** SOAP: rows are counted from 1, faults come with status 500. */
export function soap(): Dialect {
  const contacts = Array.from({ length: COUNT }, (_, n) => contact(n));
  const envelope = (inner: string) =>
    `<?xml version="1.0" encoding="UTF-8"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><SOAP-ENV:Body>${inner}</SOAP-ENV:Body></SOAP-ENV:Envelope>`;
  const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
  const read = (body: string, name: string) =>
    /^\d+$/.exec(new RegExp(`<c:${name}>([^<]*)<`).exec(body)?.[1] ?? '')?.[0];
  return ({ body }) => {
    const wanted = read(body, 'ContactNo');
    if (wanted !== undefined) {
      const found = contacts[Number(wanted) - 712];
      const fault =
        '<SOAP-ENV:Fault><faultcode>SOAP-ENV:Server</faultcode><detail><ContactFault><Code>CONTACT_NOT_FOUND</Code></ContactFault></detail></SOAP-ENV:Fault>';
      return found === undefined
        ? { status: 500, headers, body: envelope(fault) }
        : {
            headers,
            body: envelope(
              `<ns2:GetContactResponse xmlns:ns2="urn:example-erp:contacts">${found}</ns2:GetContactResponse>`,
            ),
          };
    }
    const first = Math.max(1, Number(read(body, 'FirstRow') ?? '1')) - 1;
    const rows = contacts.slice(first, first + Math.min(Number(read(body, 'MaxRows') ?? '50'), 200));
    const list = rows.length === 0 ? '<ns2:Contacts/>' : `<ns2:Contacts>${rows.join('')}</ns2:Contacts>`;
    return {
      headers,
      body: envelope(
        `<ns2:ListContactsResponse xmlns:ns2="urn:example-erp:contacts"><ns2:TotalRows>${COUNT}</ns2:TotalRows>${list}</ns2:ListContactsResponse>`,
      ),
    };
  };
}

/** A file in windows-1252, as it is recorded. */
export function csvExport(): Dialect {
  const lines = [
    'Artikel-Nr;Bezeichnung;Beschreibung;VK-Preis;WGR;EK-Preis',
    '00712;"Rohrzange 1½""";"Chrom-Vanadium;\nfür Rohre";1.234,50;10;canary',
    '00009;  Gießkanne ; ;9,90;20;3,10',
    '00100;Hahn;;12,00;30;-',
    '00101;Schlüssel;"";-;99;-',
  ];
  const body = Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
  return ({ path }) =>
    path === '/export/artikel.csv'
      ? { headers: { 'Content-Type': 'application/octet-stream' }, body }
      : notFound;
}

const jsonServerRows: RowSource = {
  example: 'json-server',
  resource: 'products',
  items: '',
  id: 'id',
};
const jsonServerUsers: RowSource = { example: 'json-server', resource: 'users', items: '', id: 'id' };

/** json-server 0.17: what it does not know is a filter. */
export function jsonServer(): Dialect {
  const tables: Readonly<Record<string, readonly Row[]>> = {
    products: manyRows(jsonServerRows, COUNT),
    users: manyRows(jsonServerUsers, COUNT),
  };
  return ({ path, query }) => {
    const [, name = '', id] = path.split('/');
    const rows = tables[name];
    if (rows === undefined) return { status: 404, body: {} };
    if (id !== undefined) {
      const row = rows.find((one) => String(one['id']) === id);
      return row === undefined ? { status: 404, body: {} } : { body: row };
    }
    const filters = [...query].filter(([key]) => !key.startsWith('_'));
    const found = rows.filter((row) =>
      filters.every(([key, value]) => {
        const [, column = '', op] = /^(.*)_(gte|lte)$/.exec(key) ?? [];
        if (op === undefined) return (row[key] ?? null) !== null && String(row[key]) === value;
        const own = row[column];
        return (
          own !== undefined &&
          own !== null &&
          (op === 'gte' ? Number(own) >= Number(value) : Number(own) <= Number(value))
        );
      }),
    );
    const ordered =
      query.get('_sort') === 'id' && query.get('_order') === 'desc' ? found.toReversed() : found;
    const windowed = query.has('_limit') || query.has('_start') || query.has('_page');
    const size = whole(query, '_limit', 10);
    const first = query.has('_start')
      ? whole(query, '_start', 0)
      : (Math.max(1, whole(query, '_page', 1)) - 1) * size;
    return windowed
      ? { body: ordered.slice(first, first + size), headers: { 'X-Total-Count': String(found.length) } }
      : { body: ordered };
  };
}
