import { readFileSync, writeFileSync } from 'node:fs';
import type { FaultGateway } from '../../faults/harness/gateway.ts';
import type { AlertTestbed, Manner } from './alert-testbed.ts';

/** One fault, and the alerts that it must and may raise. */
export type AlertFault = {
  readonly name: string;
  readonly alerts: readonly string[];
  /** What else may fire: its rule speaks of a consequence. */
  readonly also?: readonly string[];
  /** How long it lasts after its alerts have fired, in seconds of the fast rules. */
  readonly lastsSeconds?: number;
  readonly begin: (place: AlertTestbed) => unknown;
  readonly end: (place: AlertTestbed) => unknown;
};

const page = '/v1/users?limit=5';
const askWith = ({ gateway }: AlertTestbed, key: string) => gateway.ask(page, { key, entitled: false });

function mannered(
  name: string,
  manner: Manner,
  alerts: readonly string[],
  more: Partial<AlertFault> = {},
): AlertFault {
  const begin = ({ behave }: AlertTestbed) => behave(manner);
  return { name, alerts, begin, end: ({ behave }) => behave('well'), ...more };
}

/** What no limit and no kept answer can be written for. */
const UNWRITTEN = ['PorticoLimiterAlone', 'PorticoLimiterUnavailable', 'PorticoCacheFailing'];
/** What callers see where a service fails or answers nothing usable. */
const FAILING = 'PorticoAnswersFailing';
const SOURCE = 'PorticoUpstreamFailing';

const ofTheService: readonly AlertFault[] = [
  mannered('a service fails', 'failing', [FAILING, SOURCE, 'PorticoSourceNotAsked']),
  mannered('a service is slow', 'slow', ['PorticoSlow'], { also: ['PorticoOverloaded', FAILING, SOURCE] }),
  mannered('a service answers rubbish', 'garbage', ['PorticoRepliesInvalid', FAILING, SOURCE]),
  mannered('a service answers in another order than its file says', 'disordered', ['PorticoSourceDrift'], {
    also: ['PorticoRepliesInvalid', FAILING, SOURCE],
    // A claim that has been disabled stays disabled until it is reset.
    async end({ gateway, behave }) {
      behave('well');
      await fetch(`${gateway.adminUrl}/api/claims/reset`, { method: 'POST' });
    },
    lastsSeconds: 10,
  }),
  mannered('a service renames a key', 'renamed', ['PorticoFieldLost']),
  mannered('a service leaves out ids and writes other dates', 'other', ['PorticoSourceDrift'], {
    also: ['PorticoRepliesInvalid', 'PorticoFieldLost', FAILING, SOURCE],
  }),
  {
    name: 'more is asked at once than may be in flight',
    alerts: ['PorticoOverloaded'],
    also: [FAILING],
    begin(place) {
      place.behave('busy');
      place.also(() =>
        Promise.all(Array.from({ length: 8 }, () => askWith(place, place.gateway.configuredKey))),
      );
    },
    end({ behave, also }) {
      behave('well');
      also(undefined);
    },
  },
];

const ofRedis: readonly AlertFault[] = [
  {
    name: 'Redis is full',
    alerts: ['PorticoRedisFull', ...UNWRITTEN],
    also: [FAILING],
    // Longer than the hour after which a limiter that counts alone was forgotten.
    lastsSeconds: 65,
    begin: ({ config }) => config('maxmemory', '1mb'),
    end: ({ config }) => config('maxmemory', '0'),
  },
  {
    name: 'Redis is a replica',
    alerts: ['PorticoRedisRefusing', ...UNWRITTEN],
    also: [FAILING],
    begin: ({ gateway }) => gateway.withStored(({ client }) => client.replicaof('127.0.0.1', 1)),
    end: ({ gateway }) => gateway.withStored(({ client }) => client.replicaof('NO', 'ONE')),
  },
  {
    name: 'Redis hangs',
    alerts: ['PorticoRedisLost', 'PorticoCredentialsUnavailable', ...UNWRITTEN],
    also: [FAILING],
    async begin(place) {
      await place.redis.pause();
      place.also(() => askWith(place, place.freshKey()));
    },
    end({ redis, also }) {
      redis.resume();
      also(undefined);
    },
  },
];

/** Puts a changed file in force, and what it was before at the end. */
function reloaded(
  name: string,
  alerts: readonly string[],
  of: (place: AlertTestbed) => FaultGateway,
  change: (text: string) => string,
  also: readonly string[] = [],
): AlertFault {
  let before = '';
  const put = ({ configFile, process }: FaultGateway, text: string) => {
    writeFileSync(configFile, text);
    process.signal('SIGHUP');
  };
  return {
    name,
    alerts,
    also,
    begin(place) {
      before = readFileSync(of(place).configFile, 'utf8');
      put(of(place), change(before));
    },
    end: (place) => put(of(place), before),
  };
}

const ofTheFiles: readonly AlertFault[] = [
  reloaded(
    'a reload is refused',
    ['PorticoConfigStale'],
    ({ gateway }) => gateway,
    (text) => `${text}\nnonsense: 1\n`,
  ),
  reloaded(
    'a replica serves another configuration',
    ['PorticoConfigDiffers'],
    ({ replica }) => replica,
    (text) => text.replace('20 per 2s', '21 per 2s'),
  ),
  reloaded(
    'a key ends in nine days',
    ['PorticoKeysExpiring'],
    ({ gateway }) => gateway,
    (text) => {
      const expiresAt = new Date(Date.now() + 9 * 86_400_000).toISOString();
      return text.replace(/^( *)- id: configured$/m, `$&\n$1  expiresAt: "${expiresAt}"`);
    },
    ['PorticoConfigDiffers'],
  ),
];

const reloadsRefused = reloaded(
  'a receiver of webhooks wants no events',
  ['PorticoWebhooksDead', 'PorticoConfigStale'],
  ({ gateway }) => gateway,
  (text) => `${text}\nnonsense: 1\n`,
);

const ofOthers: readonly AlertFault[] = [
  {
    ...reloadsRefused,
    // Each refused reload is an event.
    async begin(place) {
      place.refuseWebhooks(true);
      await reloadsRefused.begin(place);
      let asked = 0;
      place.also(async () => {
        if ((asked += 1) % 10 === 0)
          await fetch(`${place.gateway.adminUrl}/api/config/reload`, { method: 'POST' });
      });
    },
    async end(place) {
      place.also(undefined);
      place.refuseWebhooks(false);
      await reloadsRefused.end(place);
    },
  },
  {
    name: 'somebody guesses keys',
    alerts: ['PorticoGuessing'],
    begin(place) {
      place.also(() => askWith(place, `ptk_aaaaaaaaaaaa_${String(Math.random()).slice(2)}`));
    },
    end: ({ also }) => also(undefined),
  },
  {
    name: 'the collector of spans refuses them',
    alerts: ['PorticoSpansLost'],
    // What is queued is sent every two seconds.
    lastsSeconds: 6,
    begin: ({ collector }) => collector.behave(400),
    end: ({ collector }) => collector.behave(200),
  },
  {
    name: 'the gateway fails by itself',
    alerts: ['PorticoServerErrors'],
    begin: ({ gateway }) => gateway.process.signal('SIGUSR2'),
    end: ({ gateway }) => gateway.process.signal('SIGUSR2'),
  },
  {
    name: 'the gateway is stopped',
    alerts: ['PorticoDown'],
    // What waited is answered late, once it goes on.
    also: ['PorticoSlow', 'PorticoOverloaded', 'PorticoGone'],
    begin: ({ gateway }) => gateway.process.signal('SIGSTOP'),
    end: ({ gateway }) => gateway.process.signal('SIGCONT'),
  },
];

/** Every fault that some alert is for. */
export const alertFaults: readonly AlertFault[] = [...ofTheService, ...ofRedis, ...ofTheFiles, ...ofOthers];
