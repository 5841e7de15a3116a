// Finds out, by what a source file names under `auth.proof`, if the source knows Portico's credential, or takes Portico for an
// anonymous visitor.

import type { ProofSpec } from '../../../config/schema/net/proof.ts';
import type { ConnectionSpec, OutcomeKind } from '../../../config/schema/source.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { pathAt } from '../spec/path.ts';
import { compileOneOf } from '../spec/literal.ts';
import { compileRequest } from '../request/request.ts';
import { CHECKED, type SpecLocation } from '../spec/spec-location.ts';
import { compileDecoder } from './decode.ts';
import type { Classifier } from './outcome.ts';

/** The proof of the credential that a source file names; `undefined` if it names none. */
export function proofOf({ auth }: Pick<ConnectionSpec, 'auth'>): ProofSpec | undefined {
  return auth.kind === 'none' ? undefined : auth.proof;
}

const NOTHING: readonly (Json | undefined)[] = [undefined, null, false, ''];

/** Whether a value at the place of a proof shows that nobody is logged in. */
export const showsNobody = (value: Json | undefined): boolean => NOTHING.includes(value);

/** Compiles the test whether a reply has the proof; `body` is the document of the reply. */
function compileTest({ at = '', header, equals }: ProofSpec, here: SpecLocation) {
  const find = pathAt(at, here.at('at'));
  const fits =
    equals === undefined
      ? (value: Json | undefined) => !showsNobody(value)
      : compileOneOf([header === undefined ? equals : String(equals)]);
  return (reply: UpstreamReply, body: Json | undefined) =>
    fits(header === undefined ? body && find(body) : reply.header(header.toLowerCase()));
}

function compileProofRequest({ request }: ProofSpec, here: SpecLocation): UpstreamRequest | undefined {
  if (request === undefined) return undefined;
  const whole = { method: 'GET', headers: {}, ...request } as const;
  return compileRequest(whole, [], here.at('request'))({}, []);
}

/** The outcomes that lead to an answer. All others are errors anyway. */
const ANSWERS: ReadonlySet<OutcomeKind> = new Set(['ok', 'not_found', 'past_end']);

/**
 * Extends the response rules: if the file says that every reply has a proof, a reply without it is `unauthorized`. A reply with
 * an error status often lacks the proof, so the client asks for another reply then (`check` in proofs.ts).
 */
export function requireProof(
  classify: Classifier,
  source: Pick<ConnectionSpec, 'auth'>,
  here: SpecLocation,
): Classifier {
  const proof = proofOf(source);
  if (proof === undefined) return classify;
  // Only for its reports.
  compileProofRequest(proof, here);
  const holds = compileTest(proof, here);
  if (proof.request !== undefined) return classify;
  return (on, reply, body) => {
    const found = classify(on, reply, body);
    if (found === undefined || !ANSWERS.has(found.is)) return found;
    if (reply.status >= 400 || holds(reply, body)) return found;
    return { ...found, is: 'unauthorized', lacksProof: true };
  };
}

/** The paths of the proof that are read in the body of every reply. */
export function proofPaths(source: Pick<ConnectionSpec, 'auth'>): readonly string[] {
  const proof = proofOf(source);
  return proof?.at === undefined || proof.request !== undefined ? [] : [proof.at];
}

/** Compiles the proof of a credential for the client of the source; `undefined` if the file names no proof. */
export function compileCredentialProof(source: ConnectionSpec) {
  const proof = proofOf(source);
  if (proof === undefined) return undefined;
  const read = compileDecoder(source.decode);
  const test = compileTest(proof, CHECKED);
  return {
    /** The request whose reply has the proof; absent: every reply has it. */
    request: compileProofRequest(proof, CHECKED),
    holds: (reply: UpstreamReply): boolean => {
      try {
        return test(reply, proof.at === undefined ? undefined : read(reply));
      } catch (error) {
        if (error instanceof GatewayError) return false;
        throw error;
      }
    },
  };
}
