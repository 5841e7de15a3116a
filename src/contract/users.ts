import { z } from 'zod';
import { id, instant, text } from './fields.ts';
import { defineResource } from './resource.ts';

/** An item of `GET /v1/users`. */
const item = z
  .strictObject({
    id: id('user'),
    name: text('Display name.'),
    email: text('E-mail address.'),
    created_at: instant('When the user was created.'),
  })
  .meta({ title: 'User' });

/** The answer of `GET /v1/users/{id}`. */
const detail = z
  .strictObject({
    ...item.shape,
    profile: z.strictObject({
      bio: text('Free text.'),
      location: text('Free text.'),
      avatar_url: text('URL of an avatar image.'),
    }),
  })
  .meta({ title: 'UserDetail' });

export const users = defineResource({
  name: 'users',
  title: 'user',
  idPrefix: 'user',
  permission: 'users:read',
  item,
  detail,
  sorts: ['id', 'name', 'email', 'created_at'],
  filters: [],
});
