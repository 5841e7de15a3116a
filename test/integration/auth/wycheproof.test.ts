import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { algorithms, createCheck, verify } from '../../support/auth/token-issuer.ts';

/** A checkout of github.com/C2SP/wycheproof, whose vectors are not ours to keep here. */
const folder = env['WYCHEPROOF_DIR'];

type Vector = { tcId: number; comment: string; jws?: unknown; jwe?: unknown; result: 'valid' | 'invalid' };
type Group = { comment: string; public?: object; private?: object; tests: Vector[] };

/** What is refused for its claims has a signature that was taken; the claims of the vectors are `foo`. */
const PAST_THE_SIGNATURE = ['ERR_JWT_INVALID', 'ERR_JWT_CLAIM_VALIDATION_FAILED', 'ERR_JWT_EXPIRED'];

function checkOf(group: Group) {
  const key = (group.public ?? group.private) as { keys?: object[] };
  return createCheck({}, () => Promise.resolve({ keys: key.keys ?? [key] }));
}

/** Whether Portico takes the signature of a token. It answers 503 where no key of the set can be used. */
async function takes(token: string, group: Group): Promise<boolean> {
  const verdict = await verify(token, checkOf(group)).catch(() => undefined);
  if (verdict?.kind === 'accepted') return true;
  return verdict?.kind === 'refused' && PAST_THE_SIGNATURE.includes(verdict.why ?? '');
}

/** Whether the token says that it is signed by an algorithm that Portico knows. */
function isOurs(token: string): boolean {
  const { alg } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { alg: string };
  return (algorithms as readonly string[]).includes(alg);
}

/** Vectors seen, the valid ones that were to be taken, and those that came out wrong. */
async function run(file: string) {
  const path = join(folder!, 'testvectors_v1', file);
  const { testGroups } = JSON.parse(readFileSync(path, 'utf8')) as { testGroups: Group[] };
  const figures = { vectors: 0, taken: 0, refused: 0, wrong: [] as string[] };
  for (const group of testGroups)
    for (const { jws, result, tcId, comment } of group.tests) {
      if (typeof jws !== 'string') continue;
      figures.vectors += 1;
      const taken = await takes(jws, group);
      figures[taken ? 'taken' : 'refused'] += 1;
      const expected = result === 'valid' && isOurs(jws);
      if (taken !== expected) figures.wrong.push(`${tcId} ${group.comment}: ${comment}`);
    }
  return figures;
}

const describeIfThere = folder === undefined ? describe.skip : describe;
describeIfThere('the Wycheproof vectors (set WYCHEPROOF_DIR to a checkout of C2SP/wycheproof)', () => {
  it.each([
    ['json_web_signature_test.json', { vectors: 401, taken: 10, refused: 391, wrong: [] }],
    ['json_web_key_test.json', { vectors: 26, taken: 1, refused: 25, wrong: [] }],
    ['json_web_crypto_test.json', { vectors: 48, taken: 2, refused: 46, wrong: [] }],
  ])('of %s are all accepted or refused as the file says', async (file, expected) => {
    expect(await run(file)).toEqual(expected);
  });
});
