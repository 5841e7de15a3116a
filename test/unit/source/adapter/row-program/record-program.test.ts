import fc from 'fast-check';
import type { GetAdapter } from '../../../../../src/source/adapter/compile-record.ts';
import type { OnMissingValue } from '../../../../../src/source/adapter/map/map-record.ts';
import { GatewayError } from '../../../../../src/kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';
import { adapterOf } from '../../../../support/pipeline/source-text.ts';
import { recordReplies } from '../row-program/odd-replies.ts';

const PERSON = `name: { from: [first, last], as: [{ join: ' ' }] }, email: { from: mail, as: [trim] }, created_at: { from: created, as: [{ date: { format: 'yyyy-MM-dd HH:mm:ss', zone: UTC } }] }, profile.bio: data.mail, profile.location: { from: last, as: [{ default: none }] }, profile.avatar_url: null`;
const file = (item: string, drop = '', top = '') => `
${top}
resources:
  users:
    id: { kind: number }
    list: { request: { path: /rows }, window: { kind: offset, sizeMax: 100 }, items: '', map: { id: no, name: null, email: null, created_at: null } }
    get: { request: { path: '/rows/{id}' }, item: '${item}', ${drop} map: { id: no, ${PERSON} } }
`;
const OUTCOMES =
  'outcomes: [{ status: 200, at: error, present: true, is: not_found }, { status: 200, at: data, equals: 7, is: error }, { status: 200, is: ok }]';

function getOf(text: string): GetAdapter {
  const { get } = adapterOf('users', text);
  if (get === undefined) throw new Error('no single record');
  return get;
}

/** A condition that no record fulfils has the whole record looked at: it is read the general way. */
const GENERAL = 'dropWhen: [{ at: state, equals: gone-for-ever }],';
const FILES = [
  ['', ''],
  ['data', ''],
  ['data', OUTCOMES],
] as const;
const adapters = FILES.map(([item, top]) => ({
  get: getOf(file(item, '', top)),
  general: getOf(file(item, GENERAL, top)),
}));

/** Everything that becomes of a reply: the record or the error, and what its observer is told, in order. */
function outcomeOf(get: GetAdapter, reply: UpstreamReply) {
  const told: unknown[] = [];
  const onMissingValue: OnMissingValue = (...missing) => told.push(missing);
  try {
    const record = get.read(reply, 'user_7', { onMissingValue, onRule: (rule) => told.push(rule) });
    return JSON.stringify({ record, told });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { error: error.code, reason: error.reason, detail: error.detail, told };
  }
}

describe('a single record that is read from the bytes of its reply', () => {
  it('is the one of the general reader, with the same rule, missing values and errors', () => {
    fc.assert(
      fc.property(recordReplies, fc.constantFrom(...adapters), (reply, { get, general }) => {
        expect(outcomeOf(get, reply)).toEqual(outcomeOf(general, reply));
      }),
      { numRuns: 1_500 },
    );
  });
});
