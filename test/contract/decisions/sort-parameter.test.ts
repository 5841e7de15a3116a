import { parseList, refusal } from '../../support/pipeline/parse-as.ts';

describe('`sort`: `id`, `name`, `email`, `created_at`; a leading `-` means descending', () => {
  it.each(['id', 'name', 'email', 'created_at'])('%s sorts ascending, and -%s descending', (field) => {
    expect(parseList('users.list', `sort=${field}`).sort).toEqual({ field, descending: false });
    expect(parseList('users.list', `sort=-${field}`).sort).toEqual({ field, descending: true });
    expect(parseList('users.list', `sort=%2D${field}`).sort).toEqual({ field, descending: true });
  });

  it.each([
    ...[
      '',
      '-',
      '--name',
      '%2Bname',
      'NAME',
      'Name',
      'name,email',
      'name%20',
      '%20name',
      'name:desc',
      'name%20desc',
    ],
    ...[
      'createdAt',
      'profile.bio',
      'profile',
      'price',
      'password',
      '__proto__',
      'constructor',
      'toString',
      '0',
      'id%00',
    ],
  ])('%j is refused, and the message lists what is allowed', (value) => {
    const error = refusal(() => parseList('users.list', `sort=${value}`));
    expect(error.code).toBe('invalid_parameter');
    expect(error.message).toContain('"sort"');
    expect(error.message).toContain('id, name, email, created_at');
  });

  it('absent means the default order', () => expect(parseList('users.list', '').sort).toBeNull());

  it('is not a parameter of products, where it is ignored like any unknown one', () => {
    expect(parseList('products.list', 'sort=nonsense&sort=twice').sort).toBeNull();
  });
});
