import fc from 'fast-check';
import { addressSubject } from '../../../../src/pipeline/stages/address-subject.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const group = fc.integer({ min: 0, max: 0xffff });
const plain = (groups: readonly number[]) => groups.map((g) => g.toString(16)).join(':');

describe('what an address is counted under', () => {
  it.each([
    ['192.0.2.7', 'address:192.0.2.7'],
    ['::ffff:192.0.2.7', 'address:192.0.2.7'],
    ['::FFFF:c000:0207', 'address:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', 'address:2001:db8:1:2::/64'],
    ['2001:db8::1', 'address:2001:db8:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
    ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', 'address:64:ff9b:0:0::/64'],
    ['', 'address:unknown'],
    ['garbage', 'address:unknown'],
    ['1.2.3.4, 5.6.7.8', 'address:unknown'],
    ['2001:db8::1]/x', 'address:unknown'],
  ])('%s → %s', (address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });

  it('is the /64, however the address is spelled', () => {
    fc.assert(
      fc.property(
        fc.tuple(group, group, group, group),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (network, host) => {
          fc.pre(network.some((g) => g !== 0));
          const padded = [...network, ...host].map((g) => g.toString(16).padStart(4, '0')).join(':');
          const expected = `address:${plain(network)}::/64`;
          expect(addressSubject(plain([...network, ...host]))).toBe(expected);
          expect(addressSubject(padded.toUpperCase())).toBe(expected);
          expect(addressSubject(`${plain(network)}::`)).toBe(expected);
        },
      ),
    );
  });

  it('never carries anything of a text that is no address', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(addressSubject(text)).toMatch(/^address:(unknown|[0-9.]+|[0-9a-f:]+\/64)$/);
      }),
    );
  });
});
