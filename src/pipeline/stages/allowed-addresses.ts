// Checks whether an API key may be used from an address (`addresses` of a key).

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Whether a key may be used from an address. */
export type AllowsAddress = (address: string) => boolean;

const compiled = new WeakMap<readonly string[], AllowsAddress>();

function compile(ranges: readonly string[]): AllowsAddress {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return (text) => {
    // The zone of a link-local address (`%eth0`) does not matter.
    const [address = ''] = text.split('%');
    if (isIPv4(address)) return list.check(address, 'ipv4');
    // BlockList understands IPv4 addresses in IPv6 form, which a dual-stack socket shows.
    return isIPv6(address) && list.check(address, 'ipv6');
  };
}

/** Compiles the check for addresses and CIDR ranges, once for each list; `undefined` if every address is allowed. */
export function allowedAddresses(ranges: readonly string[] | undefined): AllowsAddress | undefined {
  if (ranges === undefined || ranges.length === 0) return undefined;
  const known = compiled.get(ranges);
  if (known !== undefined) return known;
  const made = compile(ranges);
  compiled.set(ranges, made);
  return made;
}
