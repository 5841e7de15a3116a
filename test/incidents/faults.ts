import type { BenchRow } from '../faults/harness/row.ts';
import { hammering } from './hammering.ts';
import type { Manner } from './harness/injector.ts';
import { judgeNight } from './harness/judge-night.ts';
import { type Harm, type Night, spendNight } from './harness/night.ts';
import type { Expected } from './harness/questions.ts';
import { lackingOf, lostKeysTruth, type Truth, truthBetween, slowTruthOf, truthOf } from './harness/truth.ts';

type Fault = {
  readonly id: string;
  readonly name: string;
  readonly harm: Harm;
  readonly expected: Expected;
  readonly truth: (night: Night) => Truth;
  /** When it is looked at, where that is not the usual time after its beginning. */
  readonly earlyMs?: number;
};

const TEN = 'page, terminal and webhook answer ten questions truly';

/** A fault of the service of the users. */
function ofPeople(
  id: string,
  name: string,
  manner: Manner,
  cause: RegExp,
  entry: string,
  expected: Partial<Expected> = {},
): Fault {
  return {
    id,
    name,
    harm: {
      begin: ({ people }) => people.inject({ manner }),
      end: ({ people }) => people.inject({ manner: 'well' }),
    },
    expected: {
      ...{ kind: 'source', subject: 'people', fault: 'upstream', cause, entry },
      injector: ({ fleet }) => fleet.people,
      ...expected,
    },
    truth: (night) => (manner === 'slow' ? slowTruthOf : truthOf)(night, night.fleet.people.log),
  };
}

const ofCalls = [
  ofPeople('incidents-500', 'a service answers 500', 'fails', /^answers 500$/, 'upstream_error'),
  ofPeople('incidents-slow', 'a service takes 1.5 s', 'slow', /^calls take longer than 1 s$/, 'PorticoSlow', {
    kind: 'slow',
  }),
  ofPeople(
    'incidents-hang',
    'a service never answers',
    'hangs',
    /^no answer within 2 s$/,
    'upstream_timeout',
  ),
  ofPeople(
    'incidents-401',
    "a service refuses Portico's credential",
    'refuses',
    /^refuses Portico's credential \(401\)$/,
    'upstream_error',
    { fault: 'configuration', advice: 'Do for 401 and 403' },
  ),
  ofPeople(
    'incidents-shape',
    'a service answers in another shape',
    'other',
    /^replies of another shape/,
    'upstream_invalid_response',
  ),
];

/** Values are null, and no call and no answer fails. */
const field = ofPeople(
  'incidents-field',
  'a field is renamed',
  'renamed',
  /^many records lack it, so callers get null$/,
  'PorticoFieldLost',
  { kind: 'field', subject: 'people users.email', areNamesCertain: true },
);
const lostField: Fault = {
  ...field,
  truth(night) {
    const { since, last, answers } = truthOf(night, night.fleet.people.log);
    return { since, last, answers, ...lackingOf(night) };
  },
};

const lostRedis: Fault = {
  id: 'incidents-redis',
  name: 'the Redis of keys and limits is killed',
  harm: { begin: ({ redis }) => redis.keys.kill(), end: ({ redis }) => redis.keys.restart() },
  expected: {
    ...{ kind: 'redis', subject: 'keys+limits', fault: 'redis', cause: /^out of reach$/ },
    entry: 'PorticoRedisLost',
    injector: undefined,
    isAuditLost: true,
  },
  truth: truthBetween,
};

/** Flushes the Redis of keys, and puts back keys and audit as from a copy. */
function flush(): Harm {
  let copy: readonly (readonly [key: string, value: Buffer])[] = [];
  return {
    begin: ({ gateways }) =>
      gateways[0]?.withStored(async ({ client }) => {
        const names = [...(await client.keys('*api-key*')), ...(await client.keys('*audit*'))];
        copy = await Promise.all(names.map(async (name) => [name, await client.dumpBuffer(name)] as const));
        await client.flushall();
      }),
    end: ({ gateways }) =>
      gateways[0]?.withStored(async ({ client }) => {
        for (const [name, value] of copy) await client.restore(name, 0, value, 'REPLACE');
      }),
  };
}

const emptyRedis: Fault = {
  id: 'incidents-empty',
  name: 'the Redis of keys and limits is flushed, and later restored from a copy',
  harm: flush(),
  expected: {
    ...{ kind: 'keys', subject: 'keys', fault: 'redis', cause: /^has lost its data, so keys/ },
    ...{ entry: 'PorticoKeysLost', injector: undefined, isAuditLost: true },
  },
  truth: lostKeysTruth,
};

const lostIssuer: Fault = {
  id: 'incidents-issuer',
  name: 'the issuer of tokens is down',
  // It is asked each 7 s, and an incident opens after 5 s.
  earlyMs: 18_000,
  harm: {
    begin: ({ issuer }) => issuer.inject({ manner: 'fails' }),
    end: ({ issuer }) => issuer.inject({ manner: 'well' }),
  },
  expected: {
    ...{
      kind: 'issuer',
      subject: 'auth.jwt',
      fault: 'issuer',
      cause: /key set was answered with status 500$/,
    },
    entry: 'PorticoIssuerLost',
    injector: undefined,
  },
  truth: (night) => truthOf(night, night.fleet.issuer.log),
};

const badReload: Fault = {
  id: 'incidents-reload',
  name: 'a reload is refused',
  harm: {
    begin: (fleet) => fleet.reload(0, 'as many as they like'),
    end: (fleet) => fleet.reload(0, '7 per 1s'),
  },
  expected: {
    ...{ kind: 'config', subject: 'files', fault: 'configuration', cause: /^the reload was refused$/ },
    entry: 'PorticoConfigStale',
    injector: undefined,
    alsoBefore: [/^reload refused/],
  },
  truth: truthBetween,
};

function rowOf({ id, name, harm, expected, truth, earlyMs }: Fault): BenchRow {
  return {
    id,
    name: `${name}: ${TEN}`,
    async run(bench) {
      const night = await spendNight(bench, harm, { ...(earlyMs !== undefined && { earlyMs }) });
      return judgeNight({ night, truth: truth(night), expected });
    },
  };
}

/** Eleven faults, and what is said of each. */
export const faultRows: readonly BenchRow[] = [
  ...[...ofCalls, lostField, lostRedis, emptyRedis, lostIssuer, badReload].map(rowOf),
  hammering,
];
