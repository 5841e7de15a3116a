import { readFileSync } from 'node:fs';
import jayson from 'jayson';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const byId = (a, b) => a.id - b.id;
const sortedUsers = users.toSorted(byId);
const sortedProducts = products.toSorted(byId);

// The protocol is the package's; what the methods are called and take is up to its users.
const server = new jayson.Server(
  {
    searchProducts({ start, size, category: wanted, price: { from, to } = {} }, callback) {
      if ([from, to].some((bound) => bound !== undefined && typeof bound !== 'number')) {
        callback(this.error(-32602, 'bounds are numbers'));
        return;
      }
      const isWithin = (price) =>
        (from === undefined || (price !== null && Number(price) >= from)) &&
        (to === undefined || (price !== null && Number(price) <= to));
      const found = sortedProducts.filter(
        ({ category, price }) => (wanted === undefined || category === wanted) && isWithin(price),
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
