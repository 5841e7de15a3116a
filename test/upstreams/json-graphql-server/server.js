import { readFileSync } from 'node:fs';
import express from 'express';
import { jsonGraphqlExpress } from 'json-graphql-server/node';

const { users, products } = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const app = express();
app.use(
  '/graphql',
  jsonGraphqlExpress({
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
app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
