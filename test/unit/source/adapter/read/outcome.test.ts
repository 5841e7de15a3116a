import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileOutcomes, outcomeFault } from '../../../../../src/source/adapter/read/outcome.ts';
import { type OutcomeKind, type OutcomeSpec, sourceSchema } from '../../../../../src/config/schema/source.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';

const kinds = sourceSchema.shape.outcomes.element.shape.is.options;

function classify(rules: OutcomeSpec[], status: number, body?: string, on: 'list' | 'get' = 'list') {
  const classifier = compileOutcomes(
    rules,
    locationIn((_path, message) => {
      throw new Error(message);
    }),
  );
  return classifier(on, replyOf(body ?? '', { status }), body === undefined ? undefined : readJson(body))?.is;
}

const faultOf = (outcome: OutcomeKind | undefined, status: number, headers = {}) =>
  outcomeFault(outcome === undefined ? undefined : { is: outcome }, replyOf('', { status, headers }));

describe('outcome rules', () => {
  const rules: OutcomeSpec[] = [
    { status: 200, at: 'rc', equals: [0, '0'], is: 'ok' },
    { status: 200, at: 'rc', equals: 44, on: 'get', is: 'not_found' },
    { at: 'fault.code', equals: null, is: 'error' },
    { status: 404, is: 'past_end' },
    { status: '5xx', is: 'unavailable' },
    { status: 404, is: 'error' },
  ];

  it.each<[number, string | undefined, OutcomeKind | undefined]>([
    [200, '{"rc":0}', 'ok'],
    [200, '{"rc":"0"}', 'ok'],
    [200, '{"rc":0.0}', 'ok'],
    [200, '{"rc":1}', undefined],
    [200, '{"rc":null}', undefined],
    [200, '{"rc":[0]}', undefined],
    [200, '{}', undefined],
    [200, undefined, undefined],
    [201, '{"rc":0}', undefined],
    [200, '{"fault":{"code":null}}', 'error'],
    [404, undefined, 'past_end'],
    [500, undefined, 'unavailable'],
    [599, '[]', 'unavailable'],
    [302, undefined, undefined],
    [204, undefined, undefined],
  ])('a reply %s %s means %p', (status, body, is) => expect(classify(rules, status, body)).toBe(is));

  it('apply to lists or single records only, where they say so', () => {
    expect(classify(rules, 200, '{"rc":44}', 'get')).toBe('not_found');
    expect(classify(rules, 200, '{"rc":44}', 'list')).toBeUndefined();
  });

  it('are tried in order: the first that fits decides', () => {
    const rule = fc.record({
      status: fc.constantFrom(200, 404, '2xx' as const),
      is: fc.constantFrom(...kinds),
    });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1 }), (list) => {
        const first = list.find(({ status }) => status === 200 || status === '2xx');
        expect(classify(list, 200)).toBe(first?.is);
      }),
    );
  });

  it('compare a number with a point by its value', () => {
    const version: OutcomeSpec[] = [{ at: 'v', equals: 1.5, is: 'ok' }];
    expect(classify(version, 200, '{"v":1.5}')).toBe('ok');
    expect(classify(version, 200, '{"v":1.50}')).toBe('ok');
    expect(classify(version, 200, '{"v":1.51}')).toBeUndefined();
  });

  describe('on what a body holds', () => {
    const rule = (spec: Partial<OutcomeSpec>): OutcomeSpec[] => [{ at: 'fault', is: 'error', ...spec }];

    it.each<[string, string | undefined, boolean]>([
      ['^E04', '{"fault":"E0404 no row"}', true],
      ['^E04', '{"fault":"xE0404"}', false],
      ['no row', '{"fault":"E0404 no row"}', true],
      ['^4', '{"fault":404}', true],
      ['^4', '{"fault":404.50}', true],
      ['50$', '{"fault":404.50}', true],
      ['', '{"fault":null}', false],
      ['', '{"fault":true}', false],
      ['', '{"fault":["E04"]}', false],
      ['', '{"fault":{}}', false],
      ['', '{}', false],
      ['', undefined, false],
    ])('matches %j: %s, %p', (matches, body, fits) => {
      expect(classify(rule({ matches }), 500, body)).toBe(fits ? 'error' : undefined);
    });

    it.each<[boolean, string | undefined, boolean]>([
      [true, '{"fault":0}', true],
      [true, '{"fault":""}', true],
      [true, '{"fault":false}', true],
      [true, '{"fault":null}', false],
      [true, '{}', false],
      [true, undefined, false],
      [false, '{"fault":null}', true],
      [false, '{}', true],
      [false, 'null', true],
      [false, '{"fault":[]}', false],
      [false, undefined, false],
    ])('present %p: %s, %p', (present, body, fits) => {
      expect(classify(rule({ present }), 200, body)).toBe(fits ? 'error' : undefined);
    });

    it('reports an absent record if the whole body is null', () => {
      const rules: OutcomeSpec[] = [
        { on: 'get', at: '', present: false, is: 'not_found' },
        { status: 200, is: 'ok' },
      ];
      expect(classify(rules, 200, 'null', 'get')).toBe('not_found');
      expect(classify(rules, 200, '{}', 'get')).toBe('ok');
      expect(classify(rules, 200, 'null', 'list')).toBe('ok');
    });
  });

  it.each<[OutcomeSpec, string]>([
    [{ at: 'rc', is: 'ok' }, '`at` and one of `equals`, `matches` and `present` belong together'],
    [{ equals: 0, is: 'ok' }, '`at` and one of `equals`, `matches` and `present` belong together'],
    [{ equals: null, is: 'ok' }, '`at` and one of `equals`, `matches` and `present` belong together'],
    [{ at: 'a..b', equals: 0, is: 'ok' }, '"a..b" is not a path'],
    [{ matches: 'x', is: 'ok' }, '`at` and one of `equals`, `matches` and `present` belong together'],
    [{ present: true, is: 'ok' }, '`at` and one of `equals`, `matches` and `present` belong together'],
    [{ at: 'a', matches: '(', is: 'ok' }, '"(" is not a regular expression'],
  ])('report %j', (rule, message) => {
    const problems: string[] = [];
    compileOutcomes(
      [{ status: 200, is: 'ok' }, rule],
      locationIn((path, text) => problems.push(`${path.join('.')} ${text}`), ['outcomes']),
    );
    expect(problems).toEqual([expect.stringContaining(`outcomes.1`)]);
    expect(problems[0]).toContain(message);
  });
});

describe('a reply that no rule fits', () => {
  it('fails closed, whatever its status', () => {
    expect(faultOf(undefined, 200).code).toBe('upstream_invalid_response');
    expect(faultOf(undefined, 302).code).toBe('upstream_invalid_response');
    expect(faultOf(undefined, 404).code).toBe('upstream_invalid_response');
    expect(faultOf(undefined, 500).code).toBe('upstream_error');
  });

  it('mean what HTTP says of limits and credentials: never the fault of the caller', () => {
    expect(faultOf(undefined, 429, { 'retry-after': '7' })).toMatchObject({
      code: 'upstream_unavailable',
      retryAfterSeconds: 7,
    });
    for (const status of [401, 403])
      expect(faultOf(undefined, status)).toMatchObject({ code: 'upstream_error', credentialRefused: true });
  });
});

describe('a reply that is a failure', () => {
  it.each<[OutcomeKind, string]>([
    ['unauthorized', 'upstream_error'],
    ['client_bug', 'upstream_error'],
    ['error', 'upstream_error'],
    ['rate_limited', 'upstream_unavailable'],
    ['unavailable', 'upstream_unavailable'],
    ['not_found', 'upstream_invalid_response'],
    ['past_end', 'upstream_invalid_response'],
    ['ok', 'upstream_invalid_response'],
  ])('%s is reported as %s, and never as the fault of the caller', (outcome, code) => {
    const error = faultOf(outcome, 401);
    expect(error.code).toBe(code);
    expect(error.status).toBeGreaterThanOrEqual(502);
  });

  it.each(kinds)('%s says so in its detail, with the status and no word of the source', (outcome) => {
    const error = outcomeFault(
      { is: outcome },
      replyOf('canary', { status: 418, headers: { 'x-a': 'canary' } }),
    );
    expect(error.detail).toContain('HTTP 418');
    expect(error.detail).not.toContain('canary');
  });

  it.each([
    ['7', 7],
    ['300', 300],
    ['86400', 86_400],
    ['1000000000', 86_400],
    ['0', 1],
    ['-1', 5],
    ['1.5', 5],
    ['junk', 5],
    ['Fri, 31 Dec 2027 23:59:59 GMT', 5],
    [undefined, 5],
  ])('says when to come back, bounded: Retry-After %p becomes %i', (header, seconds) => {
    const headers = header === undefined ? {} : { 'retry-after': header };
    expect(faultOf('rate_limited', 429, headers).retryAfterSeconds).toBe(seconds);
    expect(faultOf('unavailable', 503, headers).retryAfterSeconds).toBe(seconds);
  });
});

describe('the time of the next attempt', () => {
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
  const retryAfterOf = (headers: Record<string, string>, resetAt?: OutcomeSpec['resetAt']) =>
    outcomeFault({ is: 'rate_limited', ...(resetAt && { resetAt }) }, replyOf('', { status: 429, headers }))
      .retryAfterSeconds;
  const epoch = Date.UTC(2026, 10, 21, 12) / 1_000;

  it('may stand in Retry-After, and is counted by the clock of the source', () => {
    expect(retryAfterOf({ date, 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' })).toBe(90);
    expect(retryAfterOf({ date, 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' })).toBe(1);
  });

  it.each<[string, NonNullable<OutcomeSpec['resetAt']>['unit'], number]>([
    [`${epoch + 40}`, 'epochSeconds', 40],
    [`${epoch + 40}.5`, 'epochSeconds', 41],
    [`${epoch - 40}`, 'epochSeconds', 1],
    [`${(epoch + 40) * 1_000}`, 'epochMilliseconds', 40],
    ['12', 'seconds', 12],
    ['1500', 'milliseconds', 2],
    [`${epoch}`, 'seconds', 86_400],
    ['soon', 'epochSeconds', 9],
    ['-1', 'seconds', 9],
  ])('may stand in a header of its own: %s, %s, is %i seconds', (value, unit, seconds) => {
    const headers = { date, 'x-rate-limit-reset': value, 'retry-after': '9' };
    expect(retryAfterOf(headers, { header: 'X-Rate-Limit-Reset', unit })).toBe(seconds);
  });

  it('is not guessed where the source does not tell its clock', () => {
    expect(retryAfterOf({ 'x-reset': String(epoch + 40) }, { header: 'X-Reset', unit: 'epochSeconds' })).toBe(
      5,
    );
  });

  it('is asked for only of replies that are to be waited for', () => {
    const problems: string[] = [];
    const resetAt = { header: 'X', unit: 'seconds' } as const;
    compileOutcomes(
      [
        { is: 'rate_limited', resetAt },
        { is: 'unavailable', resetAt },
        { is: 'error', resetAt },
      ],
      locationIn((path) => problems.push(path.join('.')), ['outcomes']),
    );
    expect(problems).toEqual(['outcomes.2.resetAt']);
  });
});
