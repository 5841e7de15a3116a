import { writesSchema } from '../../../upstreams/writers.ts';
import type { Random } from '../../generate/random.ts';
import type { Scalar } from '../../oracle/values.ts';
import * as keep from '../case.ts';

const TEAMS = ['First line', 'Second line', 'Billing'];
const PRIORITIES = ['low', 'normal', 'high', 'urgent'];
const SUBJECTS = ['No light', 'no light', 'Ünlü ürün', '100% broken', 'Where is "it"?', ''];

const agentIn = (id: string) => ({ type: 'agents', id });

/** A time in the form of a service whose clock goes two hours before UTC. */
const local = (ms: number) =>
  `${new Date(ms + 7_200_000).toISOString().replace('.000', '').slice(0, -1)}+02:00`;

function ticket(random: Random, id: string, agents: readonly string[]): keep.Held {
  const opened = keep.moment(random);
  const resolvedAt = keep.mostly(random, null, local(opened + random.below(90) * 3_600_000), 0.5);
  const reporter = keep.mostly(random, random.of(agents), null, 0.04);
  const assignee = keep.mostly(random, random.of(agents), null, 0.2);
  return {
    ...{ type: 'tickets', id, subject: keep.mostly(random, random.of(SUBJECTS), `Case ${id}`, 0.5) },
    ...{ body: `${keep.person(random)} called from ${keep.town(random)}.` },
    ...{ priority: keep.mostly(random, random.of(PRIORITIES), 'unknown', 0.06), replies: random.below(9) },
    ...{ votes: keep.mostly(random, random.below(40) - 20, random.of([null, 2.5])) },
    ...{ escalated: keep.mostly(random, random.is(0.5), null), opened: local(opened), resolvedAt },
    due: keep.mostly(random, keep.day(random), null, 0.4),
    ...(assignee !== null && { assignee: agentIn(assignee) }),
    ...(reporter !== null && { reporter: agentIn(reporter) }),
  };
}

const agentText = (reference: { readonly id: string } | null | undefined): Scalar =>
  reference === null || reference === undefined ? null : `agent_${reference.id}`;

/** Tickets with references, in the memory of a server of JSON:API. */
export const tickets: keep.ServiceCase = {
  server: 'jsonapi-server',
  product: 'jsonapi-server',
  resources: {
    agents: {
      list: '/rest/agents',
      idOf: ({ id }) => id as string,
      writes: writesSchema.parse({ kind: 'json-api', ownIds: false, fields: ['fullName', 'email', 'team'] }),
      truth: (held) => ({
        id: `agent_${held['id']}`,
        name: keep.textText(held['fullName']),
        email: keep.textText(held['email']),
        team: keep.textText(held['team']),
      }),
    },
    tickets: {
      list: '/rest/tickets',
      idOf: ({ id }) => id as string,
      writes: writesSchema.parse({
        kind: 'json-api',
        ownIds: false,
        fields: [
          ...['subject', 'body', 'priority', 'replies', 'votes', 'escalated', 'opened', 'due', 'resolvedAt'],
          ...['assignee', 'reporter'],
        ],
        relationships: ['assignee', 'reporter'],
      }),
      truth: (held) => ({
        id: `t_${held['id']}`,
        subject: keep.textText(held['subject']),
        body: keep.textText(held['body']),
        priority: PRIORITIES.includes(held['priority']) ? held['priority'] : null,
        replies: keep.wholeText(held['replies']),
        votes: keep.wholeText(held['votes']),
        escalated: keep.flagText(held['escalated']),
        opened: keep.instantText(held['opened']),
        due: keep.dayText(held['due']),
        resolved_at: keep.instantText(held['resolvedAt']),
        assignee: agentText(held['assignee']),
        reporter: agentText(held['reporter']),
      }),
    },
  },
  data(random) {
    const ids = keep.uuids(random, 12);
    return {
      agents: ids.map((id) => ({
        ...{ type: 'agents', id, fullName: `${keep.person(random)} ${keep.person(random)}` },
        email: keep.mostly(random, `${id.slice(0, 4)}@desk.example`, null),
        team: random.of(TEAMS),
      })),
      tickets: keep.uuids(random, 160).map((id) => ticket(random, id, ids)),
    };
  },
};
