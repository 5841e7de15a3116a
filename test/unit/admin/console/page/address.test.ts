import {
  addressOf,
  changedQuery,
  isOwnAddress,
  readAddress,
  viewNames,
} from '../../../../../src/admin/console/page/show/address.ts';
import { destinations, keyCommand } from '../../../../../src/admin/console/page/frame/destinations.ts';

describe('the address of the page', () => {
  it.each([
    ['', { view: 'overview', param: '', query: {} }],
    ['#/source/crm', { view: 'source', param: 'crm', query: {} }],
    ['#/source/a%2Fb?span=48h', { view: 'source', param: 'a/b', query: { span: '48h' } }],
    ['#/try?q=%2Fv1%2Fusers%3Fsort%3Dname', { view: 'try', param: '', query: { q: '/v1/users?sort=name' } }],
    ['#/nowhere', { view: 'overview', param: '', query: {} }],
    ['#/source/%E0%A4%A', { view: 'source', param: '%E0%A4%A', query: {} }],
  ])('%s is read', (hash, address) => expect(readAddress(hash)).toEqual(address));

  it.each(['crm', 'a/b?c=d#e', '<img src=x onerror=alert(1)>', 'ä ö', '%', '..'])(
    'names anything and is read as it was written: %s',
    (param) => {
      const query = { q: param, 'keys.sort': '-label' };
      expect(readAddress(addressOf('source', param, query))).toEqual({ view: 'source', param, query });
    },
  );

  it('changes a part of its query, and leaves out what is empty', () => {
    const address = readAddress('#/audit?since=24h&audit.q=alice');
    expect(changedQuery(address, { since: '' })).toBe('#/audit?audit.q=alice');
  });

  it.each([
    'javascript:alert(1)',
    'https://elsewhere.example',
    '//elsewhere.example',
    '#',
    'data:text/html,x',
    ' #/audit',
  ])('is never that of another place: %s', (text) => expect(isOwnAddress(text)).toBe(false));

  it('may be a view that the gateway names', () => {
    expect(['#/source/crm', '#/config', '#/requests?status=5xx'].every(isOwnAddress)).toBe(true);
  });
});

describe('keys', () => {
  it('reach every view of the navigation by a letter of its own after g', () => {
    const views = destinations.map(({ jump }) => keyCommand(jump, true));
    expect(views).toEqual(destinations.map(({ view }) => ({ kind: 'go', view })));
    expect(new Set(destinations.map(({ jump }) => jump)).size).toBe(destinations.length);
    expect(destinations.map(({ view }) => view)).toEqual(
      viewNames.filter((view) => view !== 'request' && view !== 'incident'),
    );
  });

  it('search, help, and nothing else', () => {
    expect(keyCommand('/', false)).toEqual({ kind: 'search' });
    expect(keyCommand('?', false)).toEqual({ kind: 'help' });
    expect(keyCommand('o', false)).toBeUndefined();
    expect(keyCommand('x', true)).toBeUndefined();
  });
});
