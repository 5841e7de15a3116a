import type { TableRow } from '../harness/row.ts';
import { type VisitorCase, visitorRow } from './visitor-row.ts';

const ME = { request: { path: '/me' }, at: 'login', equals: 'reporting' };
const BODY = { at: 'viewer.login', equals: 'reporting' };
const HEADER = { header: 'X-User' };

type Unnamed = Omit<VisitorCase, 'name'>;

const users = { shape: 'offset users', auth: 'header', sees: 'fewer', happens: 'dies' } as const;
const products = { ...users, shape: 'offset products' } as const;

const dying: readonly Unnamed[] = [
  { ...users, shown: 'body', proof: BODY },
  { ...users, shown: 'body', proof: { at: 'viewer.login' } },
  { ...users, shown: 'body', proof: BODY, first: 'record' },
  { ...users, shown: 'body', onFailures: true, proof: BODY, first: 'record' },
  { ...users, shown: 'body', visitor: 'guest', proof: BODY, sees: 'gaps' },
  { ...users, shown: 'header', proof: HEADER },
  { ...users, shown: 'header', proof: HEADER, first: 'record', shape: 'page users' },
  { ...users, shown: 'header', proof: { ...HEADER, equals: 'reporting' }, visitor: 'guest', auth: 'query' },
  { ...products, shown: 'header', proof: HEADER, sees: 'gaps' },
  { ...products, shown: 'body', proof: BODY, auth: 'session' },
  { ...users, shown: 'page', proof: ME },
  { ...users, shown: 'page', proof: { request: { path: '/me' }, at: 'id' }, auth: 'query' },
  { ...products, shown: 'page', proof: ME },
  { ...products, shown: 'page', proof: ME, shape: 'uncounted products' },
  { ...users, shown: 'page', proof: ME, shape: 'cursor users' },
  { ...users, shown: 'page', proof: ME, shape: 'whole users' },
  { ...users, shown: 'page', proof: ME, auth: 'session' },
  { ...users, shown: 'page', proof: ME, auth: 'oauth2' },
  { ...users, shown: 'page', proof: ME, happens: 'page goes', sees: 'same' },
];

const renewed: readonly Unnamed[] = [
  { ...users, shown: 'page', proof: ME, auth: 'session', happens: 'dies and is renewed' },
  { ...users, shown: 'page', proof: ME, auth: 'oauth2', happens: 'dies and is renewed' },
  { ...users, shown: 'body', proof: BODY, auth: 'session', happens: 'dies and is renewed' },
  { ...products, shown: 'header', proof: HEADER, auth: 'oauth2', happens: 'dies and is renewed' },
];

const drafted: readonly Unnamed[] = [
  { ...users, shown: 'page', proof: 'draft' },
  { ...users, shown: 'body', proof: 'draft' },
  { ...users, shown: 'body', visitor: 'guest', onFailures: true, proof: 'draft', first: 'record' },
  { ...products, shown: 'header', proof: 'draft' },
  { ...products, shown: 'page', proof: 'draft', sees: 'fewer', shape: 'page products' },
  { ...users, shown: 'nowhere', proof: 'draft', sees: 'refused', happens: 'nothing' },
];

const unshown = { ...users, shown: 'nowhere', happens: 'nothing' } as const;
const open = { ...unshown, proof: undefined } as const;
const silent = { ...users, shown: 'body', visitor: 'guest', happens: 'nothing' } as const;

/** Files that doctor must warn of. */
const told: readonly Unnamed[] = [
  { ...open, doctorSays: /a visitor sees \d+ of 137/, doctorHides: /kind: none/ },
  { ...open, sees: 'gaps', doctorSays: /a visitor's rows lack email/, doctorHides: /kind: none/ },
  { ...open, sees: 'others', doctorSays: /a visitor gets other rows/, doctorHides: /kind: none/ },
  { ...open, sees: 'same', doctorSays: /makes no difference.*kind: none/ },
  { ...silent, proof: { at: 'viewer.login' }, doctorSays: /auth\.proof/ },
  { ...unshown, proof: ME, sees: 'refused', doctorSays: /auth\.proof/ },
];

const correct: readonly Unnamed[] = [
  ...(['rows go', 'page fails', 'page hangs', 'nothing'] as const).map((happens): Unnamed => ({
    ...users,
    shown: 'page',
    proof: ME,
    happens,
  })),
  { ...products, shown: 'page', proof: ME, happens: 'rows go', auth: 'oauth2' },
  { ...users, shown: 'body', proof: BODY, happens: 'rows go' },
  { ...users, shown: 'header', proof: HEADER, happens: 'rows go', auth: 'session' },
  { ...users, shown: 'body', onFailures: true, proof: BODY, happens: 'nothing' },
];

function nameOf({ shape, auth, shown, visitor, sees, proof, happens, first, onFailures }: Unnamed) {
  const file = proof === 'draft' ? 'draft' : proof === undefined ? 'no proof' : Object.keys(proof).join(' ');
  const more = [visitor, first && `${first} first`, onFailures && 'on failures'].filter(Boolean).join(', ');
  return `visitor: ${happens}, ${auth} at ${shape}, shown in ${shown}, sees ${sees}, ${file}${more && `, ${more}`}`;
}

/** Services that serve a credential which they do not know as a visitor, and correct ones of the same shape. */
export const visitorRows: readonly TableRow[] = [...dying, ...renewed, ...drafted, ...told, ...correct].map(
  (one) => visitorRow({ ...one, name: nameOf(one) }),
);
