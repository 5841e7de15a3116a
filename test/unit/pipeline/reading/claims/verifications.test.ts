import { createVerifications } from '../../../../../src/pipeline/reading/windows/verifications.ts';

describe('work that an answer can do without', () => {
  it('is waited for while it is short, so that the answer can rest on it', async () => {
    let isDone = false;
    await createVerifications(60_000).attempt(async () => {
      await Promise.resolve();
      isDone = true;
    });
    expect(isDone).toBe(true);
  });

  it('goes on behind the answer once it takes longer, and is aborted by the end of the source', async () => {
    const verifications = createVerifications(1);
    const ended = Promise.withResolvers<string>();
    await verifications.attempt(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended.resolve('aborted');
            reject(signal.reason as Error);
          });
        }),
    );
    await verifications.close();
    expect(await ended.promise).toBe('aborted');
  });

  it('shows nothing if it fails', async () => {
    const failing = () => Promise.reject(new Error('the source is away'));
    await expect(createVerifications(60_000).attempt(failing)).resolves.toBeUndefined();
  });
});
