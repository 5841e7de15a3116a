import type { DecodedReply } from '../../../../src/workbench/infer/detect/outcome-rules.ts';
import { inferProof, type ProofContext } from '../../../../src/workbench/infer/verify/infer-proof.ts';
import type { Json } from '../../../../src/kernel/json/json.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';

const shown = (document: Json): DecodedReply => ({ reply: replyOf(document), document });

/** The proof that replies to the account and to a visitor suggest; no page can be asked for. */
async function proofOf(own: Json, visitor: Json): Promise<unknown> {
  const client = { callsLeft: 0 } as ProofContext['client'];
  const request: ProofContext['request'] = { method: 'GET', path: '/users', query: {}, headers: {} };
  const context = { client, request, read: () => undefined, record: undefined };
  const drafted = await inferProof({ ...context, lists: [shown(own), shown(own)], visitor: shown(visitor) });
  return drafted?.proof;
}

describe('the place that a draft proposes as the proof of a credential', () => {
  it('is that of the account, with its name', async () => {
    expect(await proofOf({ viewer: 'reader', rows: [] }, { viewer: 'guest', rows: [] })).toEqual({
      at: 'viewer',
      equals: 'reader',
    });
  });

  it('is none where a visitor has a value, too, and that of the account cannot be written', async () => {
    expect(await proofOf({ viewer: 'Zoë (reader)' }, { viewer: 'guest' })).toBeUndefined();
  });

  it('is one that a visitor lacks, rather than one that only differs', async () => {
    const own = { viewer: 'Zoë (reader)', plan: 'gold' };
    expect(await proofOf(own, { viewer: 'guest' })).toEqual({ at: 'plan' });
    expect(await proofOf(own, { plan: '' })).toEqual({ at: 'viewer' });
  });

  it('has no name of a session, which ends before the credential does', async () => {
    const own = { session: 'f81d4fae' };
    expect(await proofOf(own, { session: '00000000' })).toBeUndefined();
    expect(await proofOf(own, {})).toEqual({ at: 'session' });
  });
});
