// Reads and writes the address of the page: #/view/parameter?query. Everything that a view shows follows from it, so a link
// shows the same.

/** The views, in the order of the navigation. */
export const viewNames = [
  'overview',
  'incident',
  'source',
  'requests',
  'request',
  'try',
  'callers',
  'cache',
  'quality',
  'migration',
  'config',
  'audit',
] as const;

/** The first segment of an address behind `#/`. */
export type ViewName = (typeof viewNames)[number];

/** An address of the page. */
export type Address = {
  readonly view: ViewName;
  /** The name of a source, the id of a request, a resource; empty where there is none. */
  readonly param: string;
  readonly query: Readonly<Record<string, string>>;
};

const decode = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Reads an address. An unknown view becomes the overview. */
export function readAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [name = '', ...rest] = path.split('/');
  const view = viewNames.find((one) => one === name) ?? 'overview';
  return { view, param: decode(rest.join('/')), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Writes an address. Empty values of the query are left out. */
export function addressOf(view: ViewName, param = '', query: Readonly<Record<string, string>> = {}): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(kept).toString();
  const path = param === '' ? view : `${view}/${encodeURIComponent(param)}`;
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

/** The address with parts of its query changed. */
export function changedQuery(address: Address, changes: Readonly<Record<string, string>>): string {
  return addressOf(address.view, address.param, { ...address.query, ...changes });
}

/** Whether a link from the server is an address of this page; only such links are followed. */
export function isOwnAddress(text: string): boolean {
  return /^#\/[a-z]+(?:[/?]|$)/.test(text);
}
