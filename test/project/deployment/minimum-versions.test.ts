import { readFileSync } from 'node:fs';

type Locked = { version: string; optional?: boolean; integrity?: string };

const text = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };

/** Every copy in the tree, nested ones too: an old copy deep down is as exploitable as one on top. */
const copies = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, { version }]) => ({
    name: path.slice(path.lastIndexOf('node_modules/') + 13),
    path,
    version,
  }));

/** The copies of a package, but for those of an old Express, which is a host in tests alone. */
function copiesOf(name: string) {
  return copies.filter((copy) => copy.name === name && !copy.path.includes('/express4/'));
}

/** Whether a version is `floor` or newer; a pre-release counts as older than its release. */
function atLeast(version: string, floor: string): boolean {
  const numbers = (of: string) => of.split(/[.-]/, 3).map(Number);
  const [have, need] = [numbers(version), numbers(floor)];
  const index = need.findIndex((part, at) => part !== have[at]);
  return index === -1 ? !version.includes('-') : have[index]! > need[index]!;
}

describe('what stands in for an audit: no copy is older than its last known hole', () => {
  it.each([
    ['axios', '1.19.0'],
    ['form-data', '4.0.6'],
    ['follow-redirects', '1.16.0'],
    ['qs', '6.14.1'],
    ['path-to-regexp', '8.4.0'],
    ['http-proxy-middleware', '4.1.1'],
    ['express', '5.2.1'],
    ['ioredis', '6.0.0'],
    ['jose', '6.0.0'],
  ])('every %s is at least %s', (name, floor) => {
    expect(copiesOf(name)).not.toEqual([]);
    expect(copiesOf(name).filter(({ version }) => !atLeast(version, floor))).toEqual([]);
  });

  it('has no http-proxy: it turns one chunked request into two (http-party/node-http-proxy#1720)', () => {
    expect(copiesOf('http-proxy')).toEqual([]);
  });

  it.each([
    ['1.19.0', '1.19.0', true],
    ['1.20.0', '1.19.3', true],
    ['2.0.0', '1.19.3', true],
    ['1.9.0', '1.19.0', false],
    ['1.18.9', '1.19.0', false],
    ['1.19.0-beta.1', '1.19.0', false],
  ])('orders versions by number: %s against %s', (version, floor, expected) => {
    expect(atLeast(version, floor)).toBe(expected);
  });
});

describe('what the code is written for', () => {
  it.each([
    ['zod', /^4\./],
    ['typescript', /^6\.0\./],
    ['jest', /^30\./],
  ])('%s is of the line it was decided on', (name, line) => {
    expect(packages[`node_modules/${name}`]?.version).toMatch(line);
  });

  it('runs on Node 24, which is supported until April 2028', () => {
    expect(process.version).toMatch(/^v24\./);
    expect(packages['node_modules/node']?.version).toBe(process.version.slice(1));
  });
});

describe('the lock file installs the same bytes from any registry', () => {
  it('names no host', () => {
    expect(text.match(/"resolved"/g)).toBeNull();
    expect(copies.filter(({ version }) => version.includes('/'))).toEqual([]);
  });

  it('has a checksum for every package that every platform installs', () => {
    const needed = copies.filter(({ path }) => packages[path]?.optional !== true);
    expect(needed.filter(({ path }) => !packages[path]?.integrity?.startsWith('sha512-'))).toEqual([]);
  });
});
