import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureTexts } from '../../support/command/fixture-texts.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { startForEach } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const CONTRACT = `contract: 1
title: Club
resources:
  members:
    singular: member
    id: { prefix: mem }
    fields:
      name: { kind: text }
      born: { kind: date }
      phone: { kind: integer }
      wage: { kind: decimal, personal: true }
      mobile: { kind: text }
      mobiles: { kind: list, of: { kind: text } }
      fax: { kind: text }
      friend: { kind: reference, to: members }
      friends: { kind: list, of: { kind: reference, to: members } }
      met: { kind: date }
      left: { kind: date }
      seen: { kind: datetime, personal: true }
      paid: { kind: datetime, personal: true }
      feasts: { kind: list, of: { kind: date } }
      nicks: { kind: list, of: { kind: text } }
      days: { kind: list, of: { kind: date } }
      phones: { kind: list, of: { kind: integer } }
      notes: { kind: list, max: 20, of: { text: { kind: text }, day: { kind: date }, met: { kind: date }, number: { kind: integer } } }
    single: true
    sort: [id, name, born, phone, mobile, met, seen]
    filters:
      ids: { field: id, is: one_of }
      name: { field: name, is: equal }
      born: { field: born, is: equal }
      born_after: { field: born, is: after }
      met: { field: met, is: equal }
      seen_after: { field: seen, is: after }
      phone: { field: phone, is: equal }
      min_phone: { field: phone, is: at_least }
      friend: { field: friend, is: one_of }
      with_friend: { field: friends, is: has }
      nick: { field: nicks, is: has }
      day: { field: days, is: has }
      other_phone: { field: phones, is: has }
      mobile: { field: mobile, is: equal }
      other_mobile: { field: mobiles, is: has }
`;
const NUMBER_DAY = 'as: [{ date: { format: yyyyMMdd, zone: UTC } }, { day: UTC }]';
const FIELDS = `{ id: id, name: name, born: born, phone: phone, wage: wage, met: { from: met, ${NUMBER_DAY} }, left: { from: left, as: [{ date: { format: dd.MM.yyyy, zone: UTC } }, { day: UTC }] }, seen: { from: seen, as: [epochSeconds] }, paid: { from: paid, as: [iso8601] }, feasts: { from: feasts, each: { ${NUMBER_DAY} } }, mobile: { from: mobile, as: [text] }, mobiles: { from: mobiles, each: { as: [text] } }, fax: fax, friend: friend, friends: friends, nicks: nicks, days: days, phones: phones, notes: { from: notes, each: { map: { text: t, day: d, met: { from: m, ${NUMBER_DAY} }, number: n } } } }`;
const SOURCE = `source: 1
name: club
net: { baseUrl: '\${CLUB_URL:-http://127.0.0.1:1}' }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  members:
    id: { kind: text }
    list: { request: { path: /members }, window: { kind: none }, items: rows, map: ${FIELDS} }
    get: { request: { path: '/members/{id}' }, item: '', map: ${FIELDS} }
`;
const GATEWAY = `portico: 1
resources: { members: { source: club, public: true } }
`;

/** Values of which each says whose it is. Days are masked as others of the next thirty years before, so a century is between. */
const MEMBERS = [1, 2, 3].map((n) => ({
  ...{
    id: `marker-id${n}`,
    name: `Marker Name${n}`,
    born: `1${n}57-06-1${n}`,
    phone: Number(`491705550123${n}`),
  },
  ...{ wage: Number(`73123.4${n}`), friend: 'marker-id1', friends: ['marker-id2', `marker-id${n}`] },
  ...{ nicks: [`markernick${n}`], days: [`1${n + 3}58-07-1${n}`], phones: [Number(`491716660123${n}`)] },
  // Days and times as other sources write them.
  ...{ met: Number(`1${n}610612`), left: `12.07.1${n}62`, feasts: [Number(`1${n}640912`)] },
  ...{ seen: Number(`-2${n}00550123`), paid: `1${n}63-08-12T10:00:00Z` },
  // Numbers that a text's field reads, and one that it does not read.
  ...{ mobile: Number(`491738880123${n}`), mobiles: [Number(`491749990123${n}`)] },
  fax: Number(`491750000123${n}`),
  notes: [
    {
      t: `marker note${n}`,
      d: `1${n + 6}59-08-1${n}`,
      m: Number(`1${n}650912`),
      n: Number(`491727770123${n}`),
    },
  ],
}));
/** Texts are never made up with a marker in them, and no other value becomes one of these. */
const MARKERS = new RegExp(
  `marker|\\b(${JSON.stringify(MEMBERS)
    .match(/1\d{3}-\d\d-\d\d|[\d.]{8,}/g)!
    .flatMap((one) => [one, one.replace(/^(1...)(..)(..)$/, '$1-$2-$3')])
    .join('|')})\\b`,
  'i',
);

const folder = startForEach(() => createFolder('personal-kinds'));
const service = startForEach(() =>
  startUpstream(
    serving(({ target }) => {
      const id = /^\/members\/(.+)$/.exec(target)?.[1];
      const found = id === undefined ? { rows: MEMBERS } : MEMBERS.find((one) => one.id === id);
      return { status: found === undefined ? 404 : 200, body: JSON.stringify(found ?? {}) };
    }),
  ),
);

describe('a recording', () => {
  it('has no personal value of any kind: in lists, in objects, in what is asked, or in the answer', async () => {
    const { path } = folder;
    mkdirSync(join(path, 'sources'));
    writeFileSync(join(path, 'sources', 'club.yaml'), SOURCE);
    writeFileSync(join(path, 'contract.yaml'), CONTRACT);
    const file = join(path, 'portico.yaml');
    writeFileSync(file, GATEWAY);
    const env = { CLUB_URL: service.origin };
    const asked = [
      ...['', '/marker-id2', '?ids=mem_marker-id1,mem_marker-id3', '?name=Marker+Name2', '?born=1257-06-12'],
      ...['?born_after=1157-06-11', '?phone=4917055501232', '?min_phone=4917055501232', '?sort=-phone'],
      ...['?friend=mem_marker-id1', '?with_friend=mem_marker-id3', '?nick=markernick2', '?day=1558-07-12'],
      ...['?other_phone=4917166601233', '?sort=born', '?mobile=4917388801232', '?sort=-mobile'],
      ...['?other_mobile=4917499901231', '?met=1261-06-12', '?sort=-met', '?sort=seen'],
      '?seen_after=1200-01-01T00:00:00Z',
    ].map((query) => `GET /v1/members${query.replace('/marker', '/mem_marker')}`);
    const { code, out } = await runCommand(
      ['--config', file, 'test', '--record', 'club', '--overwrite', ...asked],
      env,
    );
    expect(code).toBe(0);
    expect(out.match(/^recorded /gm)).toHaveLength(asked.length);
    const kept = fixtureTexts(file, 'club');
    expect(kept.split('\n').filter((line) => MARKERS.test(line))).toEqual([]);
    // Each value is still one of its kind: none is missing in an answer.
    expect(kept).not.toMatch(/^ *(?:- )?(?:born|met|left|seen|paid|feasts|days): (?:null|\[\])/m);
    expect((await runCommand(['--config', file, 'test', 'club'], {})).out).toContain(
      `${asked.length} passed, 0 failed`,
    );
  });
});
