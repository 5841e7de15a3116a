import { request as ask } from 'node:http';
import { type Answer, type HttpScript, serving, type UpstreamRequest } from './scripted-upstream.ts';

type Respond = (request: UpstreamRequest) => Answer;

/** A script whose answers wait until the test releases them, and how many were under way at once. */
export type HoldingScript = HttpScript & {
  /** The most requests under way at once. */
  readonly most: number;
  /** Holds answers back from now on. */
  hold(): void;
  /** Releases the oldest answer. */
  releaseOne(): void;
  /** Releases all answers, and holds no more of them. */
  release(): void;
};

/** Makes a script that holds its answers back, from the start by default. */
export function holding(respond: Respond = () => ({ body: {} }), isHeld = true): HoldingScript {
  const held: (() => void)[] = [];
  let isHolding = isHeld;
  let [underWay, most] = [0, 0];
  const script = serving(async (request) => {
    underWay += 1;
    most = Math.max(most, underWay);
    if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
    underWay -= 1;
    return respond(request);
  });
  return {
    ...script,
    get most() {
      return most;
    },
    hold: () => void (isHolding = true),
    releaseOne: () => held.shift()?.(),
    release() {
      isHolding = false;
      for (const answer of held.splice(0)) answer();
    },
  };
}

/** A script that passes requests without a body on to another service, unless `before` answers them itself. */
export function forwardingTo(origin: string, before: () => Answer | 'forward' = () => 'forward'): HttpScript {
  return serving(({ method, target, headers }) => {
    const own = before();
    if (own !== 'forward') return own;
    return (response) =>
      ask(origin + target, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
      })
        .on('error', () => response.destroy())
        .end();
  });
}

/** The row of a user in a list of the sample CRM, with every field that the gateway needs. */
const crmRow = (cid: number, fname: string) => ({
  contact: { core: { cid, person: { fname, lname: 'X' }, comm: { mail: '' }, created: 0 } },
});

/** The first page of the sample CRM's two users, both of one first name; every other page is empty. */
export function crmList({ query }: UpstreamRequest, name: string): Answer {
  const rows = Number(query.get('start')) === 0 ? [crmRow(1, name), crmRow(2, name)] : [];
  return { body: { rc: 0, reply: { paging: { hits: 2 }, rows } } };
}

/** The sample CRM's answer to a question for one user. */
export function crmCard(query: URLSearchParams, given = 'Ada') {
  const ident = { no: Number(query.get('cid')), since: 0 };
  const entity = { ident, naming: { given, family: 'X' }, reach: {}, about: {} };
  return { rc: 0, reply: { card: { entity } } };
}
