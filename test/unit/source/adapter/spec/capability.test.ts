import { readFieldAlarm } from '../../../../../src/source/adapter/spec/capability.ts';

describe('the alarm that many records lack a field', () => {
  it.each([
    ['field.email.gone', 'email', 'gone'],
    ['field.price.unreadable', 'price', 'unreadable'],
    ['field.address.city.gone', 'address.city', 'gone'],
  ])('%s is of the field %s', (alarm, field, kind) => {
    expect(readFieldAlarm(alarm)).toEqual({ field, kind });
  });
});
