import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { CallContext } from '../windows/source-runtime.ts';

/** What calls find that no answer needs; `undefined` if they fail, which shows nothing. @throws what ends the answer itself */
export async function unlessRefused<T>(
  { signal }: Pick<CallContext, 'signal'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || signal.aborted) throw error;
    return undefined;
  }
}
