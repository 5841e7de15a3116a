import { allowedAddresses } from '../../../../src/pipeline/stages/allowed-addresses.ts';

describe('the addresses that a key may be used from', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.9.9.9/8', '10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '::10.1.2.3', false],
    ['10.0.0.0/8', '64:ff9b::a01:203', false],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.10', false],
    ['2001:db8::/32', '2001:db8:0:1::7', true],
    ['2001:db8::/32', '2001:db9::7', false],
    ['2001:db8::1/128', '2001:DB8:0::1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8', '10.1.2.3, 11.1.1.1', false],
    ['10.0.0.0/8', '10.1.2', false],
    ['10.0.0.0/8', '010.1.2.3', false],
    ['0.0.0.0/0', '', false],
    ['0.0.0.0/0', 'unknown', false],
  ])('%s: a call from "%s" is right: %s', (range, address, isRight) => {
    expect(allowedAddresses(['192.0.2.1', range])?.(address)).toBe(isRight);
  });

  it('are all of them where a key names none', () => {
    expect(allowedAddresses([])).toBeUndefined();
    expect(allowedAddresses(undefined)).toBeUndefined();
  });
});
