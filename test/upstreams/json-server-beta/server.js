import { readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

writeFileSync(
  'db.json',
  JSON.stringify({
    users: users.map((user) => ({
      ...{ id: user.id, name: `${user.given_name} ${user.family_name}`, email: user.email },
      ...{ password: 'never-to-be-shown', createdAt: user.created_at },
      profile: { bio: user.bio, location: user.location, avatarUrl: user.avatar_url },
    })),
    products: products.map(({ id, name, description, price, category }) => ({
      ...{ id, name, description, category, supplierKey: 'never-to-be-shown' },
      price: price === null ? null : Number(price),
    })),
  }),
);

// The package has no way in but its command.
const server = spawn('json-server', ['--host', '127.0.0.1', '--port', process.env.PORT, 'db.json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
server.stdout.on('data', (text) => {
  if (String(text).includes('started')) console.log('listening');
});
