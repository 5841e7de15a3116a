import { parse } from 'yaml';
import { compareContracts, comparePermissions } from '../../../src/contract/compare-contracts.ts';
import { contractSchema } from '../../../src/contract/contract-schema.ts';
import {
  BREAKING,
  changedContract,
  OFFERING,
  OLD_CONTRACT,
  orderPlace as order,
} from '../../support/contract/contract-changes.ts';

/** What a change of the old file means, as `place: message`; what breaks clients begins with an exclamation mark. */
function changed(...edits: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const [before, now] = [OLD_CONTRACT, changedContract(...edits)].map((one) =>
    contractSchema.parse(parse(one)),
  );
  return compareContracts(before!, now!).map(
    ({ breaks, path, message }) => `${breaks ? '! ' : ''}${path.join('.')}: ${message}`,
  );
}

describe('a contract that is compared with an older one', () => {
  it('breaks nothing if it is the same, or says the same in other words', () => {
    expect(changed()).toEqual([]);
    expect(
      changed(
        ['title: Shop', 'title: Store'],
        ['default: 20, max: 100 }', 'default: 20, max: 100, overflow: reject }'],
        [
          '{ kind: text, required: true }',
          '{ kind: text, required: true, aliases: [no], description: Its number. }',
        ],
        ['    sort: [id, total, status]', '    pages: { max: 100 }\n    sort: [status, total, id]'],
      ),
    ).toEqual([]);
  });

  it.each(BREAKING)('breaks clients by %s', (_what, from, to, wanted) => {
    const pages = from.startsWith('default') || from.startsWith('max');
    const found = changed([from, to]).filter((change) => change.startsWith('! '));
    expect(found).toEqual(
      (pages ? ['sites', 'orders', 'zones'] : ['orders']).map(
        (name) => `! ${wanted.replace('orders', name)}`,
      ),
    );
  });

  it('breaks clients if a limit above the largest is refused again, and not if it is cut', () => {
    const [before, now] = ['clamp', 'reject'].map((overflow) =>
      contractSchema.parse({
        ...(parse(OLD_CONTRACT) as object),
        pages: { default: 20, max: 100, overflow },
      }),
    );
    expect(compareContracts(before!, now!)).toEqual([
      expect.objectContaining({ path: ['pages', 'overflow'], breaks: true }),
    ]);
    expect(compareContracts(now!, before!)).toEqual([
      expect.objectContaining({ path: ['pages', 'overflow'], breaks: false }),
    ]);
  });

  it.each(OFFERING)('offers more by %s', (_what, from, to, wanted) =>
    expect(changed([from, to])).toEqual([wanted]),
  );

  it('breaks nothing by elements of a list that say they are required, or by an order that means nothing', () =>
    expect(
      changed(['of: { kind: text }, max', 'of: { kind: text, required: true }, unordered: true, max']),
    ).toEqual([]));

  it('breaks nothing by a field of the single view that the list has as well now', () => {
    expect(
      changed(
        ['note: { kind: text }, ', ''],
        ['      address:', '      note: { kind: text }\n      address:'],
      ),
    ).toEqual([order('fields.note: the field note is new')]);
  });

  it('tells how each change that breaks clients is taken back', () => {
    const before = contractSchema.parse(parse(OLD_CONTRACT));
    const now = contractSchema.parse(
      parse(OLD_CONTRACT.replace('is: at_least', 'is: above').replace(', required: true', '')),
    );
    expect(compareContracts(before, now).map(({ hint }) => hint)).toEqual(['required: true', 'is: at_least']);
  });
});

describe('permissions that are compared with older ones', () => {
  const changes = (before: string | null, now: string | null | undefined) =>
    comparePermissions(
      new Map([['orders', before]]),
      new Map(now === undefined ? [] : [['orders', now]]),
    ).map(
      ({ breaks, path, message, hint }) =>
        `${breaks ? '! ' : ''}${path.join('.')}: ${message} (${hint ?? ''})`,
    );

  it.each([
    ['orders:read', 'orders:read', []],
    [
      'orders:read',
      'staff:read',
      [
        '! resources.orders.permission: permission was orders:read, and is staff:read (permission: orders:read)',
      ],
    ],
    [
      null,
      'orders:read',
      ['! resources.orders.public: everybody could read it, and it needs orders:read now (public: true)'],
    ],
    ['orders:read', null, ['resources.orders.public: everybody may read it now ()']],
    [
      'orders:read',
      undefined,
      ['! resources.orders: orders is not served any more (serve it under resources)'],
    ],
  ])('from %s to %s', (before, now, wanted) => expect(changes(before, now)).toEqual(wanted));
});
