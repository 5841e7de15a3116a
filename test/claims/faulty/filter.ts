import { compareDecimals, compareTexts } from '../../support/model/contract-model.ts';
import { type Ask, filtersOf } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { asking, matching, withoutAccents } from '../harness/steps.ts';

type Equals = (own: string, wanted: string) => boolean;

/** Compares categories otherwise; what has none never matches, and prices are compared as they should be. */
const comparing = (equals: Equals) =>
  matching((record, ask, isMatch) => {
    const own = record['category'] ?? null;
    if (ask.category === undefined) return isMatch(ask);
    return own !== null && equals(own, ask.category) && isMatch({ ...ask, category: own });
  });

/** Lets rows without a value match, whatever is asked of the field. */
const letting = (field: 'category' | 'price') =>
  matching((record, ask, isMatch) => {
    if (record[field] !== null) return isMatch(ask);
    const { category, low, high, ...others } = ask;
    const kept =
      field === 'category'
        ? { category: undefined, low, high }
        : { category, low: undefined, high: undefined };
    return isMatch({ ...others, ...kept });
  });

/** Asks less than was asked. */
const without = (...names: readonly ('category' | 'low' | 'high')[]) =>
  asking(() => Object.fromEntries(names.map((name) => [name, undefined])));

const specs: readonly FaultySpec[] = [
  {
    what: 'filter: ignored',
    breaks: without('category', 'low', 'high'),
    shapes: ['offset products', 'cursor products', 'uncounted products', 'whole products'],
    when: [
      'always',
      'every third time',
      'only with two filters',
      'only with a filter, behind the first page',
    ],
    fast: ['always'],
  },
  {
    what: 'category: ignored',
    breaks: without('category'),
    shapes: ['offset products', 'sorted products', 'keyset products'],
    when: ['always', 'only with two filters', 'only with all three filters', 'only for values of digits'],
  },
  {
    what: 'category: ignored for values that nobody has',
    breaks: (correct, store) => ({
      matches: (ask, record) => {
        const isKnown = store.records.some((one) => one.record['category'] === ask.category);
        return correct.matches(isKnown ? ask : { ...ask, category: undefined }, record);
      },
    }),
    shapes: ['offset products', 'page products'],
  },
  {
    what: 'category: without regard to case',
    breaks: comparing((own, wanted) => own.toLowerCase() === wanted.toLowerCase()),
    shapes: ['offset products', 'page products', 'uncounted products'],
    when: ['always', 'only for upper case', 'only with two filters', 'every third time'],
    fast: ['always'],
  },
  {
    what: 'category: by its beginning',
    breaks: comparing((own, wanted) => own.startsWith(wanted)),
    shapes: ['offset products', 'cursor products'],
  },
  {
    what: 'category: by a part of it',
    breaks: comparing((own, wanted) => own.includes(wanted)),
    shapes: ['page products'],
  },
  {
    what: 'category: without accents',
    breaks: comparing((own, wanted) => withoutAccents(own) === withoutAccents(wanted)),
    shapes: ['offset products'],
    when: ['always', 'only for values outside of ASCII'],
  },
  {
    what: 'category: digits as a number',
    breaks: comparing(
      (own, wanted) => own === wanted || (/^\d+$/.test(own + wanted) && Number(own) === Number(wanted)),
    ),
    shapes: ['offset products'],
  },
  {
    what: 'category: only its first word',
    breaks: comparing((own, wanted) => own.split(' ')[0] === wanted.split(' ')[0]),
    shapes: ['offset products'],
    when: ['always', 'only for values with a blank'],
  },
  {
    what: 'category: matches nothing',
    breaks: comparing(() => false),
    shapes: ['offset products', 'uncounted products', 'cursor products'],
    when: [
      ...([
        'only for values outside of ASCII',
        'only for values with a blank',
        'only for upper case',
      ] as const),
      ...(['only for values of digits', 'only with two filters'] as const),
    ],
  },
  {
    what: 'category: rows without one match everything',
    breaks: letting('category'),
    shapes: ['offset products', 'page products', 'uncounted products', 'checkpoint products'],
    when: ['always', 'only with two filters', 'only after a write'],
    fast: ['always'],
  },
  {
    what: 'price: rows without one match every bound',
    breaks: letting('price'),
    shapes: ['offset products', 'counted products', 'cursor products'],
    when: ['always', 'only with an upper bound', 'only with two filters', 'only after a write'],
  },
  {
    what: 'price: no price is a price of 0',
    breaks: matching((record, ask, isMatch) => {
      if (record['price'] !== null || (ask.low === undefined && ask.high === undefined)) return isMatch(ask);
      return (
        (ask.low === undefined || Number(ask.low) === 0) &&
        isMatch({ ...ask, low: undefined, high: undefined })
      );
    }),
    shapes: ['offset products'],
  },
  {
    what: 'price: 0 is no price',
    breaks: matching((record, ask, isMatch) => {
      const isBounded = ask.low !== undefined || ask.high !== undefined;
      return !(isBounded && Number(record['price'] ?? 1) === 0) && isMatch(ask);
    }),
    shapes: ['offset products', 'uncounted products'],
  },
  {
    what: 'price: a bound of 0 is none',
    breaks: asking(({ low }) => (low !== undefined && Number(low) === 0 ? { low: undefined } : {})),
    shapes: ['offset products'],
  },
  {
    what: 'price: a lower bound leaves out the price itself',
    breaks: matching(
      (record, ask, isMatch) =>
        isMatch(ask) && (ask.low === undefined || compareDecimals(record['price'] ?? '0', ask.low) !== 0),
    ),
    shapes: ['offset products', 'page products'],
    when: ['always', 'only with two filters'],
  },
  {
    what: 'price: an upper bound leaves out the price itself',
    breaks: matching(
      (record, ask, isMatch) =>
        isMatch(ask) && (ask.high === undefined || compareDecimals(record['price'] ?? '0', ask.high) !== 0),
    ),
    shapes: ['offset products'],
  },
  {
    what: 'price: bounds without their decimals',
    breaks: asking(({ low, high }) => ({ low: low?.split('.')[0], high: high?.split('.')[0] })),
    shapes: ['offset products', 'uncounted products'],
  },
  {
    what: 'price: compared as text',
    breaks: matching((record, ask, isMatch) => {
      const { low, high } = ask;
      const price = record['price'] ?? null;
      if (price === null || (low === undefined && high === undefined)) return isMatch(ask);
      const isInside =
        (low === undefined || compareTexts(price, low) >= 0) &&
        (high === undefined || compareTexts(price, high) <= 0);
      return isInside && isMatch({ ...ask, low: undefined, high: undefined });
    }),
    shapes: ['offset products', 'keyset products'],
  },
  {
    what: 'price: the upper bound wins where there are two',
    breaks: asking(({ low, high }) => (low !== undefined && high !== undefined ? { low: undefined } : {})),
    shapes: ['offset products', 'page products', 'uncounted products'],
  },
  {
    what: 'price: a lower bound is ignored',
    breaks: without('low'),
    shapes: ['page products'],
    when: ['always', 'only with a category'],
  },
  {
    what: 'price: the bounds are one the other',
    breaks: asking(({ low, high }) => ({ low: high, high: low })),
    shapes: ['offset products'],
  },
  {
    what: 'filter: any of several is enough',
    breaks: matching((_record, ask, isMatch) => {
      const none: Partial<Ask> = { category: undefined, low: undefined, high: undefined };
      const single = (['category', 'low', 'high'] as const).filter((name) => ask[name] !== undefined);
      return filtersOf(ask) < 2
        ? isMatch(ask)
        : single.some((name) => isMatch({ ...ask, ...none, [name]: ask[name] }));
    }),
    shapes: ['offset products', 'uncounted products'],
  },
];

/** Filters that let other rows through than those that match, by field and operator. */
export const faultyFilters = specs.flatMap(faultyServices);
