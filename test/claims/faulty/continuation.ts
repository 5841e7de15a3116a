import { filtersOf } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import type { Breaks } from '../harness/start-service.ts';
import { asking, paging } from '../harness/steps.ts';

type Continued = { readonly from: string; readonly continue: string };

/** Names the parameters of the next window otherwise, where there is a next window. */
const continuing =
  (change: (parameters: Continued) => Readonly<Record<string, unknown>>): Breaks =>
  (correct) => ({
    reply: (ask, reply) => {
      const kept = correct.reply(ask, reply);
      const { continue: parameters, ...rest } = kept.body as { readonly continue?: Continued };
      return parameters === undefined ? kept : { ...kept, body: { ...rest, ...change(parameters) } };
    },
  });

/** Names the next page otherwise in its header, where there is a next page. */
const linking =
  (change: (url: string) => string): Breaks =>
  (correct) => ({
    reply: (ask, reply) => {
      const kept = correct.reply(ask, reply);
      const { Link: list, 'Next-Page': address } = kept.headers ?? {};
      const url = /^<(.*)>/.exec(list ?? '')?.[1];
      if (url !== undefined) return { ...kept, headers: { ...kept.headers, Link: change(url) } };
      if (address === undefined) return kept;
      return { ...kept, headers: { ...kept.headers, 'Next-Page': change(address) } };
    },
  });

const specs: readonly FaultySpec[] = [
  {
    what: 'continuation: forgets the filter',
    breaks: asking(({ first, after }) =>
      first > 0 || after !== undefined ? { category: undefined, low: undefined, high: undefined } : {},
    ),
    shapes: [
      'cursor products',
      'link products',
      'keyset products',
      'checkpoint products',
      'continue products',
    ],
    fast: ['always'],
  },
  {
    what: 'continuation: forgets the upper bound',
    breaks: asking(({ first, after }) => (first > 0 || after !== undefined ? { high: undefined } : {})),
    shapes: ['cursor products', 'checkpoint products'],
  },
  {
    what: 'continuation: forgets the size',
    breaks: asking(({ first }) => (first > 0 ? { size: 10 } : {})),
    shapes: ['cursor products', 'link users', 'checkpoint products', 'continue users'],
  },
  {
    what: 'continuation: ends early',
    breaks: paging(({ next }) => ({ next: (next ?? 0) >= 75 ? undefined : next })),
    shapes: ['cursor products', 'link products', 'checkpoint products', 'cursor users', 'continue products'],
    when: ['always', 'only with a filter', 'every third time'],
  },
  {
    what: 'continuation: ends early',
    breaks: paging(({ next }) => ({ next: (next ?? 0) >= 75 ? undefined : next })),
    shapes: ['link users', 'continue users'],
    fast: ['always'],
  },
  {
    what: 'continuation: ends after the first page',
    breaks: paging(() => ({ next: undefined })),
    shapes: ['cursor products', 'link products', 'link users', 'continue products'],
    when: ['always', 'only with a filter', 'only with two filters'],
  },
  {
    what: 'continuation: begins again',
    breaks: paging(({ next }) => ({ next: next === undefined ? undefined : next >= 100 ? 0 : next })),
    shapes: ['cursor products', 'link users', 'checkpoint products', 'continue products'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'continuation: never ends',
    breaks: paging(({ next }, { first, size }) => ({ next: next ?? first + size })),
    shapes: ['cursor products', 'link users', 'continue products'],
  },
  {
    what: 'continuation: names the same place again',
    breaks: paging(({ next }, { first }) => ({ next: next === undefined ? undefined : first })),
    shapes: ['cursor users', 'link products', 'continue users'],
  },
  {
    what: 'continuation: leaves a row out',
    breaks: paging(({ next }) => ({ next: next === undefined ? undefined : next + 1 })),
    shapes: ['cursor products', 'link products', 'checkpoint products', 'link users', 'continue products'],
    when: ['always', 'only behind page 3', 'only with a filter', 'every third time'],
  },
  {
    what: 'continuation: brings a row again',
    breaks: paging(({ next }) => ({ next: next === undefined ? undefined : next - 1 })),
    shapes: ['cursor products', 'link users', 'checkpoint products', 'continue users'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'continuation: none where exactly one page is left',
    breaks: paging(({ next }, { size }, rows) => ({
      next: next !== undefined && rows.length - next <= size ? undefined : next,
    })),
    shapes: ['cursor products', 'link products', 'link users', 'continue products'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'continuation: the row of the key comes again',
    breaks: (correct) => ({
      window: (ask, rows) => {
        const windowed = correct.window(ask, rows);
        const first = windowed.rows[0];
        const at = first === undefined ? -1 : rows.indexOf(first);
        return ask.after === undefined || at < 1
          ? windowed
          : { ...windowed, rows: rows.slice(at - 1, at - 1 + ask.size) };
      },
    }),
    shapes: ['keyset products'],
  },
  {
    what: 'continuation: a key that is gone begins again',
    breaks: paging((windowed, { after, size }, rows) => {
      const isKnown = after === undefined || rows.some(({ record }) => record.id.endsWith(`_${after}`));
      return isKnown && Number(after ?? 0) < 300 ? windowed : { rows: rows.slice(0, size) };
    }),
    shapes: ['keyset products'],
  },
  {
    what: 'continuation: ends early, with a filter, and the total says so',
    breaks: (correct) => ({
      window: (ask, rows) => correct.window(ask, filtersOf(ask) > 0 ? rows.slice(0, 10) : rows),
      total: (ask, matched, all) =>
        filtersOf(ask) > 0 ? Math.min(10, matched) : correct.total(ask, matched, all),
    }),
    shapes: ['cursor products', 'link products', 'offset products'],
  },
  {
    what: 'continuation: lacks one of its parameters',
    breaks: continuing(({ from }) => ({ continue: { from } })),
    shapes: ['continue products'],
    when: ['only behind page 3', 'only with a filter'],
    fast: ['only behind page 3'],
  },
  {
    what: 'continuation: an empty object before the end',
    breaks: continuing(() => ({ continue: {} })),
    shapes: ['continue products'],
    when: ['only behind page 3', 'every third time'],
  },
  {
    what: 'continuation: under another name',
    breaks: continuing((parameters) => ({ 'query-continue': parameters })),
    shapes: ['continue users'],
    when: ['always', 'only behind page 3'],
    fast: ['only behind page 3'],
  },
  {
    what: 'continuation: a text in place of an object',
    breaks: continuing(({ from }) => ({ continue: from })),
    shapes: ['continue products'],
    when: ['only behind page 3'],
  },
  {
    what: 'continuation: an object of objects',
    breaks: continuing((parameters) => ({ continue: { allusers: parameters } })),
    shapes: ['continue products'],
    when: ['only behind page 3'],
  },
  {
    what: 'continuation: brings a filter of its own',
    breaks: continuing((parameters) => ({ continue: { ...parameters, category: 'Tools' } })),
    shapes: ['continue products'],
    when: ['only without a filter'],
  },
  {
    what: 'continuation: brings a size of its own',
    breaks: continuing((parameters) => ({ continue: { ...parameters, limit: '3' } })),
    shapes: ['continue users'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'next link: an address in place of a list of links',
    breaks: linking((url) => url),
    shapes: ['link users', 'link products'],
    when: ['always', 'only behind page 3'],
    fast: ['always'],
  },
  {
    what: 'next link: a token in place of a list of links',
    breaks: linking((url) => new URL(url).searchParams.get('cursor') ?? ''),
    shapes: ['link users'],
    when: ['always', 'only behind page 3'],
    fast: ['only behind page 3'],
  },
  {
    what: 'next link: JSON in place of a list of links',
    breaks: linking((url) => JSON.stringify({ next: url })),
    shapes: ['link users', 'url link users'],
    when: ['only behind page 3'],
  },
  {
    what: 'next link: a list of links that is cut off',
    breaks: linking((url) => `<${url}`),
    shapes: ['link users', 'path link users'],
    when: ['only behind page 3', 'every third time'],
  },
  {
    what: 'next link: its parameters alone',
    breaks: linking((url) => url.slice(url.indexOf('?') + 1)),
    shapes: ['link users', 'query link users'],
    when: ['only behind page 3'],
  },
  {
    what: 'next link: a word for the end too early',
    breaks: linking(() => 'none'),
    shapes: ['link users', 'url link users'],
    when: ['only behind page 3'],
  },
  {
    what: 'next link: at another origin',
    breaks: linking((url) => url.replace(/^https?:\/\/[^/]+/, 'http://elsewhere.example')),
    shapes: ['url link users', 'url link products'],
    when: ['only behind page 3'],
  },
  {
    what: 'continuation: from a row further on',
    breaks: continuing((parameters) => ({
      continue: { ...parameters, from: String(Number(parameters.from) + 1) },
    })),
    shapes: ['continue users'],
    when: ['only behind page 3', 'every third time'],
  },
];

/** Cursors, links and keys that lead elsewhere than to the next rows. */
export const faultyContinuations = specs.flatMap(faultyServices);
