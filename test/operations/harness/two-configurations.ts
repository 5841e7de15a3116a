import type { ConfigCopy } from '../../support/gateway/config-copy.ts';

/** Questions whose right answers differ between the two configurations, and one whose answer does not. */
export const QUESTIONS = [
  '/v1/users?limit=200',
  '/v1/users?limit=3',
  '/v1/users/user_7',
  '/v1/products?limit=3',
  '/legacy/orders',
];
/** How many of them differ. */
export const DIFFERING = 4;
const CALLERS = 6;
/** Changes a copy of the configuration so that everybody may ask, as often as they like. */
export function openToAll(config: ConfigCopy, workers: number): void {
  // The recorded cases hold for one of the two only.
  config.drop('fixtures');
  const edit = (from: string, to: string) => config.edit('portico.yaml', from, to);
  config.useGenerousTimeouts();
  for (const source of ['crm', 'catalog'])
    edit(`source: ${source}\n`, `source: ${source}\n    public: true\n`);
  edit('standard: { windows: [20 per 1s, 600 per 60s] }', 'standard: { windows: [100000000 per 60s] }');
  edit('cache: { fresh: 10s, notFound: 2s }', 'cache: { fresh: 1s, notFound: 0s }');
  edit('cache: { fresh: 10s }', 'cache: { fresh: 0s }');
  edit('workers: ${WORKERS:-1}', `workers: ${workers}`);
  config.edit('sources/crm.yaml', 'connectTimeout: 60s', numbered(0));
}

/** A setting of the CRM with another value for each reload, so that nothing is kept because it was there before. */
export const numbered = (time: number) => `connectTimeout: ${60_000 + time}ms`;

/** Writes the one or the other configuration: another contract, another mapping of the CRM, another path of the route. */
export function writeVariant(config: ConfigCopy, isOther: boolean): void {
  const edit = (file: string, ...[from, to]: readonly [string, string]) =>
    isOther ? config.edit(file, from, to) : config.edit(file, to, from);
  edit('portico.yaml', 'passthrough:', 'contract: { limitOverflow: clamp }\n\npassthrough:');
  edit('portico.yaml', 'path: /legacy/orders', 'path: /legacy/purchases');
  // Of the list, and of the single record.
  for (let view = 0; view < 2; view += 1) edit('sources/crm.yaml', "join: ' '", "join: ' / '");
}

/** An answer as a text, without what is different each time. */
export const answerOf = async (url: string) => {
  const response = await fetch(url);
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '');
  return `${response.status} ${text}`;
};

/** Asks without a pause until `work` has ended; the answers that no model has, and how many there were. */
export async function underLoad(
  url: string,
  models: ReadonlyMap<string, ReadonlySet<string>>,
  work: () => Promise<unknown>,
) {
  const odd: string[] = [];
  let [answers, isOver] = [0, false];
  async function call(first: number): Promise<void> {
    for (let at = first; !isOver; at += 1) {
      const question = QUESTIONS[at % QUESTIONS.length] ?? '';
      const answer = await answerOf(url + question).catch((error: unknown) => `failed: ${String(error)}`);
      answers += 1;
      if (models.get(question)?.has(answer) !== true) odd.push(`${question}: ${answer.slice(0, 200)}`);
    }
  }
  const calls = Array.from({ length: CALLERS }, (_, at) => call(at));
  await work().finally(() => (isOver = true));
  await Promise.all(calls);
  return { odd, answers };
}
