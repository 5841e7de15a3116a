/** The body with which the sample user service answers a question for one user. */
export function crmCard(url = '', given = 'Ada'): string {
  const no = Number(new URL(url, 'http://users').searchParams.get('cid'));
  const entity = { ident: { no, since: 0 }, naming: { given, family: 'X' }, reach: {}, about: {} };
  return JSON.stringify({ rc: 0, reply: { card: { entity } } });
}
