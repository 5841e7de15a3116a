import type { DeprecationHeaders } from '../../contract/deprecation.ts';
import type { Stage } from './call.ts';

/** Creates the stage that tells callers that they use what is going. */
export function createDeprecation(headersOf: DeprecationHeaders): Stage {
  return (next) =>
    function marked(call) {
      call.answerHeaders.push(...headersOf(call.request.rawQuery));
      return next(call);
    };
}
