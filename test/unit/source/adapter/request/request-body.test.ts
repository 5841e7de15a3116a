import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileBody, compileJsonTree } from '../../../../../src/source/adapter/request/request-body.ts';
import type { Variables } from '../../../../../src/source/adapter/request/text-template.ts';
import type { BodySpec } from '../../../../../src/config/schema/source.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

const ALLOWED = ['value', 'other', 'limit', 'filters'];
const refuse = (at: readonly PropertyKey[], message: string) => {
  throw new Error(`${at.join('.')}: ${message}`);
};
const bodyOf = (spec: BodySpec, variables: Variables) =>
  compileBody(spec, ALLOWED, locationIn(refuse))(variables);
const anything = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('"', '\\', '"}', '","x":"', '&x=1', '=', '<', '</a><b>', ']]>', '{other}', '"/>', "'"),
);

describe('a JSON body', () => {
  const tree = {
    limit: '{limit}',
    where: { category: { _eq: '{value}' }, note: 'is {value}!' },
    list: ['{value}', { only: '{other}' }, 7, null, true],
    'by {value}': 'asc',
  };

  it('holds a value only in the place of its variable', () => {
    fc.assert(
      fc.property(anything, fc.nat(), (value, limit) => {
        const { contentType, text } = bodyOf({ json: tree }, { value, limit, other: 'x' });
        expect(contentType).toBe('application/json');
        const wanted = {
          limit,
          where: { category: { _eq: value }, note: `is ${value}!` },
          list: [value, { only: 'x' }, 7, null, true],
          [`by ${value}`]: 'asc',
        };
        // The texts, because V8 13.6 parses a key with an escape as the key that stood there before.
        expect(text).toBe(JSON.stringify(wanted));
      }),
      { examples: [['__proto__', 1]] },
    );
  });

  it('keeps the type of a value that stands alone: numbers and lists are no texts', () => {
    const filters = [{ field: 'price', value: '1' }];
    expect(JSON.parse(bodyOf({ json: tree.limit }, { limit: 20 }).text)).toBe(20);
    expect(JSON.parse(bodyOf({ json: { all: '{filters}' } }, { filters }).text)).toEqual({ all: filters });
    expect(JSON.parse(bodyOf({ json: { n: 'x{limit}' } }, { limit: 20 }).text)).toEqual({ n: 'x20' });
  });

  it('loses the parts whose value is absent, and only those', () => {
    expect(JSON.parse(bodyOf({ json: tree }, { limit: 0 }).text)).toEqual({
      limit: 0,
      where: { category: {} },
      list: [{}, 7, null, true],
    });
  });

  it('writes keys such as __proto__ as keys', () => {
    const made = compileJsonTree(JSON.parse('{"__proto__":"{value}"}'))({ value: 'x' });
    expect(JSON.stringify(made)).toBe('{"__proto__":"x"}');
  });
});

describe('a form body', () => {
  const form = { q: '{value}', 'a[b]': '= {other} &', n: '{limit}' };

  it('holds a value in its field, and nothing else of it', () => {
    fc.assert(
      fc.property(anything, anything, (value, other) => {
        const { contentType, text } = bodyOf({ form }, { value, other });
        expect(contentType).toBe('application/x-www-form-urlencoded');
        expect([...new URLSearchParams(text)]).toEqual([
          ['q', value],
          ['a[b]', `= ${other} &`],
        ]);
      }),
    );
  });
});

/** Tags and texts of a document, in their order: a reader that knows nothing but angle brackets and entities. */
function readTokens(xml: string): string[] {
  const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return (xml.match(/<[^<>]*>|[^<>]+/g) ?? []).map((token) =>
    token.replaceAll(/&(\w*);?/g, (_, name: string) => entities[name] ?? '(no entity)'),
  );
}

describe('an XML body', () => {
  const xml =
    '<q a="{other}"><m:Category x="1">{value}</m:Category><Text>is {value}</Text><n>{limit}</n></q>';

  it('holds a value as text, and nothing else of it', () => {
    fc.assert(
      fc.property(anything, anything, (value, other) => {
        const { contentType, text } = bodyOf({ xml }, { value, other, limit: 5 });
        expect(contentType).toBe('text/xml; charset=utf-8');
        const texts = (content: string) => (content === '' ? [] : [content]);
        expect(readTokens(text)).toEqual([
          ...[`<q a="${other}">`, '<m:Category x="1">', ...texts(value), '</m:Category>'],
          ...['<Text>', `is ${value}`, '</Text>', '<n>', '5', '</n>', '</q>'],
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('loses an element around one absent value, and is whole all the same', () => {
    expect(bodyOf({ xml }, {}).text).toBe('<q a=""><Text>is </Text></q>');
    expect(bodyOf({ xml }, { value: '', limit: 0 }).text).toBe(
      '<q a=""><m:Category x="1"></m:Category><Text>is </Text><n>0</n></q>',
    );
    expect(bodyOf({ xml: '<a><b>{value}</c></a>' }, {}).text).toBe('<a><b></c></a>');
  });

  it('has the content type of the source file, as SOAP 1.2 needs it', () => {
    expect(bodyOf({ xml, contentType: 'application/soap+xml' }, {}).contentType).toBe('application/soap+xml');
  });
});

describe('a body that names an unknown variable', () => {
  it.each<[string, BodySpec]>([
    ['json.a.1', { json: { a: ['x', '{page}'] } }],
    ['json.a.{page}', { json: { a: { '{page}': 1 } } }],
    ['form.q', { form: { q: '{page}' } }],
    ['xml', { xml: '<a>{page}</a>' }],
  ])('is reported at %s', (place, spec) => {
    const problems: string[] = [];
    compileBody(
      spec,
      ALLOWED,
      locationIn((at, message) => problems.push(`${at.join('.')} ${message}`)),
    );
    expect(problems).toEqual([`${place} unknown variable {page}`]);
  });
});
