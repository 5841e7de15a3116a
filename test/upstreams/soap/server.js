// A SOAP 1.1 service: the envelope, the types and the faults are those of the package `soap`.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import soap from 'soap';

const ROWS_MAX = 100;

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));
const byId = (a, b) => a.id - b.id;
const usersByNumber = [...users].sort(byId);
const productsByNumber = [...products].sort(byId);

const number = (id) => String(id).padStart(10, '0');
/** 2025-04-30T13:45:00.250Z as 20250430134500250. */
const stamp = (iso) => new Date(iso).toISOString().replaceAll(/\D/g, '');
/** 1234.5 as 1.234,50. */
const euros = (price) => {
  const [whole, cents = ''] = price.split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, '.')},${cents.padEnd(2, '0')}`;
};
/** 1234,50 as the number it is. */
const amount = (text) => Number(text.replace(',', '.'));

const userRow = (user) => ({
  UserNo: number(user.id),
  GivenName: user.given_name,
  FamilyName: user.family_name,
  Mail: user.email,
  EnteredOn: stamp(user.created_at),
  Notes: user.bio ?? '',
  City: user.location ?? '',
  Photo: user.avatar_url ?? '',
  PinCode: '4711',
});

const productRow = (product) => ({
  ArticleNo: number(product.id),
  Label: product.name,
  ...(product.description !== null && { Text: product.description }),
  Price: product.price === null ? null : euros(product.price),
  Group: product.category,
});

function fault(text) {
  return { Fault: { faultcode: 'soap:Server', faultstring: text, statusCode: 500 } };
}

/** The rows that a request asks for, counted from 1. */
function rowsAsked(rows, { FirstRow, MaxRows }) {
  if (!(FirstRow >= 1 && MaxRows >= 1 && MaxRows <= ROWS_MAX))
    throw fault(`E0400 FirstRow must be at least 1, MaxRows 1 to ${ROWS_MAX}`);
  return rows.slice(FirstRow - 1, FirstRow - 1 + MaxRows);
}

function listUsers(request) {
  const rows = request.NewestFirst ? usersByNumber.toReversed() : usersByNumber;
  return { TotalRows: rows.length, Users: { User: rowsAsked(rows, request).map(userRow) } };
}

function getUser({ UserNo }) {
  const user = users.find(({ id }) => number(id) === number(UserNo));
  if (user === undefined) throw fault(`E0404 no user ${UserNo}`);
  return { User: userRow(user) };
}

function listProducts(request) {
  const { Group, MinPrice, MaxPrice } = request;
  const rows = productsByNumber.filter(
    ({ category, price }) =>
      (Group === undefined || category === Group) &&
      (MinPrice === undefined || (price !== null && Number(price) >= amount(MinPrice))) &&
      (MaxPrice === undefined || (price !== null && Number(price) <= amount(MaxPrice))),
  );
  return { TotalRows: rows.length, Products: { Product: rowsAsked(rows, request).map(productRow) } };
}

const http = createServer((_request, response) => response.writeHead(404).end());
http.listen(Number(process.env.PORT), '127.0.0.1', () => {
  const services = {
    Erp: { ErpPort: { ListUsers: listUsers, GetUser: getUser, ListProducts: listProducts } },
  };
  const wsdl = readFileSync(new URL('erp.wsdl', import.meta.url), 'utf8');
  const server = soap.listen(http, '/erp', services, wsdl, () => console.log('listening'));
  server.authenticate = (security) =>
    security?.UsernameToken?.Username === 'reader' && security.UsernameToken.Password === 'reader-password';
});
