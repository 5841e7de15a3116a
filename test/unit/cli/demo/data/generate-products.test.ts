import { generateProducts } from '../../../../../src/cli/demo/data/generate-products.ts';

const products = generateProducts({ seed: 1 });
const rows = products.map((product) => product.legacy);

const labels: Record<string, string> = {
  ELC: 'Electronics',
  FUR: 'Furniture',
  HOM: 'Home & Garden',
  TOY: 'Toys',
  BOK: 'Books',
  GRO: 'Groceries',
  SPO: 'Sports & Outdoors',
  CLO: 'Clothing',
};

describe('generated products', () => {
  it('are the same for the same seed and others for another', () => {
    expect(generateProducts({ seed: 1 })).toEqual(products);
    expect(generateProducts({ seed: 2 })).not.toEqual(products);
  });

  it.each([0, 1, 2, 40, 2_000])('are as many as asked for: %d', (count) => {
    expect(generateProducts({ seed: 1, count })).toHaveLength(count);
  });

  it('are 2000 by default', () => {
    expect(products).toHaveLength(2_000);
  });

  it('have unique skus of at least eight digits that ascend, as text and as numbers, with gaps', () => {
    const skus = rows.map((row) => row.sku);
    expect(new Set(skus).size).toBe(skus.length);
    expect(skus.every((sku) => /^\d{8,}$/.test(sku))).toBe(true);
    expect(skus).toEqual(skus.toSorted());
    expect(skus).toEqual(skus.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    expect(Number(skus[1_900])).toBeGreaterThan(2_000);
    expect(skus.slice(-2)).toEqual(['100000017', '9007199254740993']);
  });

  it('read back from the row give the truth', () => {
    for (const { truth, legacy } of products) {
      const known = legacy.prc !== null && legacy.prc !== '' && legacy.prc !== 'n/a';
      expect(truth).toEqual({
        id: `prod_${BigInt(legacy.sku)}`,
        name: legacy.nm.trim(),
        description: legacy.txt === '' ? null : (legacy.txt ?? null),
        price: known ? truth.price : null,
        category: labels[legacy.cc ?? ''] ?? null,
      });
      if (!known) continue;
      expect(truth.price).toMatch(/^(0|[1-9]\d*)\.\d\d$/);
      expect(BigInt((truth.price ?? '').replace('.', ''))).toBe(BigInt(legacy.prc));
    }
  });

  it.each([
    ['0', '0.00'],
    ['5', '0.05'],
    ['50', '0.50'],
    ['2000', '20.00'],
    ['1999', '19.99'],
    ['900719925474099312', '9007199254740993.12'],
  ])('has the price of %s cents as %s', (cents, price) => {
    expect(products.find(({ legacy }) => legacy.prc === cents)?.truth.price).toBe(price);
  });
});

describe('the dirt in generated products', () => {
  it.each([
    ['prc', ['', null, 'n/a']],
    ['txt', [null, '', undefined]],
    ['cc', [null, undefined, 'ZZZ', 'OLD']],
  ] as const)('has a missing %s in every form', (field, forms) => {
    const seen = new Set<unknown>(rows.map((row) => row[field]));
    for (const form of forms) expect(seen).toContain(form);
  });

  it('has every label, Clothing in few products', () => {
    const seen = products.map(({ truth }) => truth.category);
    expect(new Set(seen)).toEqual(new Set([...Object.values(labels), null]));
    const few = seen.filter((label) => label === 'Clothing').length;
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(50);
  });

  it('has many ties in price and name', () => {
    expect(rows.filter((row) => row.prc === '1999').length).toBeGreaterThan(20);
    expect(new Set(products.map(({ truth }) => truth.name)).size).toBeLessThan(products.length / 2);
  });

  it('has spaces before and behind names', () => {
    expect(rows.some((row) => /^ /.test(row.nm))).toBe(true);
    expect(rows.some((row) => / $/.test(row.nm))).toBe(true);
  });

  it('stays within Latin-1 and uses its upper half', () => {
    const text = rows.map((row) => `${row.nm}${row.txt ?? ''}`).join('');
    expect(text).toMatch(/^[\n\t\x20-\x7e\xa0-\xff]*$/);
    for (const letter of ['é', 'ü', 'ñ', '£', '"', '\\', '\n']) expect(text).toContain(letter);
  });
});
