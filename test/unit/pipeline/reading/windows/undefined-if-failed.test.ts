import { fault } from '../../../../../src/kernel/errors/fault.ts';
import { undefinedIfFailed } from '../../../../../src/pipeline/reading/windows/verifications.ts';

const going = { signal: new AbortController().signal };

describe('calls that no answer needs', () => {
  it('bring what they find', async () => {
    const found = await undefinedIfFailed(going, () => Promise.resolve(7));
    expect(found).toBe(7);
  });

  it('show nothing if the source refuses them', async () => {
    const refuse = (): Promise<unknown> => Promise.reject(fault('upstream_error', {}));
    expect(await undefinedIfFailed(going, refuse)).toBeUndefined();
  });

  it('end the answer if its caller has gone', async () => {
    const refused = undefinedIfFailed({ signal: AbortSignal.abort() }, () =>
      Promise.reject(fault('upstream_error', {})),
    );
    await expect(refused).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it('never hide an error of Portico', async () => {
    await expect(undefinedIfFailed(going, () => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });
});
