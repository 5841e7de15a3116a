import { readFileSync } from 'node:fs';
import jayson from 'jayson';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const byId = (a, b) => a.id - b.id;
const sortedUsers = users.toSorted(byId);
const sortedProducts = products.toSorted(byId);

// The protocol is the package's; what the methods are called and take is up to its users.
const server = new jayson.Server(
  {
    searchProducts({ start, size, categories, priceFrom, priceTo }, callback) {
      const inPrice = (price) =>
        (priceFrom === undefined || (price !== null && Number(price) >= priceFrom)) &&
        (priceTo === undefined || (price !== null && Number(price) <= priceTo));
      const found = sortedProducts.filter(
        ({ category, price }) =>
          (categories === undefined || categories.includes(category)) && inPrice(price),
      );
      callback(null, { hits: found.length, rows: found.slice(start, start + size) });
    },
    countUsers(_, callback) {
      callback(null, sortedUsers.length);
    },
    listUsers([start, size], callback) {
      const rows = sortedUsers.slice(start, start + size);
      callback(
        null,
        rows.map((user) => [user.id, user.given_name, user.family_name, user.email, user.created_at]),
      );
    },
    readUser({ id }, callback) {
      const user = sortedUsers.find((candidate) => String(candidate.id) === String(id));
      if (user === undefined) callback({ code: 404, message: 'no such user' });
      else callback(null, user);
    },
  },
  { maxBatchLength: 1 },
);

server.http().listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
