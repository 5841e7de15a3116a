import type { RequestSpec } from '../../../config/schema/source.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import type { FoundWindow } from './find-window.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { continuedRequest } from './continuation-forms.ts';
import { requestOfTarget, nextTarget } from './probe-next.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { ListWalk } from './walk-list.ts';

type Following = FoundWindow & { readonly kind: 'next' };

/** The request for the window after a reply; `undefined` at the end. */
function nextRequest(
  { form, request }: Following,
  last: ListReply,
  sized: RequestSpec,
  baseUrl: string,
): RequestSpec | undefined {
  if (form.kind === 'link') {
    const target = nextTarget(form, last, request.path, baseUrl);
    return target === undefined ? undefined : requestOfTarget(request, target);
  }
  if (form.kind === 'continue') return continuedRequest(form, last, sized);
  if (form.more !== undefined && compilePath(form.more)(last.document) === false) return undefined;
  const cursor = scalarText(compilePath(form.next)(last.document)) ?? '';
  return cursor === '' ? undefined : withValue(sized, form.place, cursor);
}

/** The request for the first window, with as many rows as one can have. */
export function followedWindow({ size, request }: Following): RequestSpec {
  return size === undefined ? request : withValue(request, size.place, size.largest.size);
}

/** Reads a list whose windows name the next one, to its end or until the calls are used up. */
export async function followList(
  reader: ListReader,
  found: Following,
  { baseUrl, callsMax }: { readonly baseUrl: string; readonly callsMax: number },
): Promise<ListWalk> {
  const sized = followedWindow(found);
  const windows: ListReply[] = [];
  let request: RequestSpec | undefined = sized;
  for (let calls = 0; request !== undefined && calls < callsMax; calls += 1) {
    const { listing } = await reader.read(request);
    if (listing === undefined) break;
    windows.push(listing);
    request = nextRequest(found, listing, sized, baseUrl);
  }
  const ids = windows.flatMap((window) => window.ids);
  return {
    rows: windows.flatMap((window) => window.rows),
    ids,
    complete: request === undefined && new Set(ids).size === ids.length,
    pastEnd: undefined,
    windows,
  };
}
