// Names the address of a caller for the rate limit, and for the limit of wrong credentials.

import { isIPv4, isIPv6 } from 'node:net';

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // The URL parser writes every spelling of an address, dotted ones included, in the same way (WHATWG URL).
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = (tail ?? '').split(':').filter((group) => group !== '');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

/** The IPv4 address in an IPv6 address of `::ffff:0:0/96`: a dual-stack socket shows IPv4 callers in this form. */
function mappedIPv4(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return undefined;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * The name under which requests and failures of an address are counted: an IPv4 address itself, or the /64 network of an
 * IPv6 address, because one customer has at least a /64. All other texts share one name.
 */
export function addressSubject(address: string): string {
  if (isIPv4(address)) return `address:${address}`;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return 'address:unknown';
  const groups = groupsOf(plain);
  return `address:${mappedIPv4(groups) ?? `${groups.slice(0, 4).join(':')}::/64`}`;
}
