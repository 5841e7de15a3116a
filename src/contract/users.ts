import * as z from 'zod';
import { defineResource } from './define-resource.ts';
import { instant, text } from './fields.ts';

/** `GET /v1/users` and `GET /v1/users/{id}`. */
export const users = defineResource({
  name: 'users',
  title: 'user',
  idPrefix: 'user',
  item: {
    name: text('Display name.', 'Ada Beyoğlu'),
    email: text('E-mail address.', 'ada@web.example'),
    created_at: instant('When the user was created.'),
  },
  detail: {
    profile: z.strictObject({
      bio: text('Free text.', 'Reads maps for a living.'),
      location: text('Free text.', 'Köln'),
      avatar_url: text('URL of an avatar image.', 'https://images.example/42.png'),
    }),
  },
  sorts: ['id', 'name', 'email', 'created_at'],
  filters: [],
});
