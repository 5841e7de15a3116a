import fc from 'fast-check';
import { isMap, parseDocument } from 'yaml';
import { createCatalogService } from '../../../../src/cli/demo/catalog-service.ts';
import { sampleCredentials } from '../../../../src/cli/demo/serve.ts';
import { generateProducts } from '../../../../src/cli/demo/data/generate-products.ts';
import { generateUsers } from '../../../../src/cli/demo/data/generate-users.ts';
import { createUsersService } from '../../../../src/cli/demo/users-service.ts';
import { modelBody, modelList, type ModelRecord } from '../../../support/model/contract-model.ts';
import { type ContractQuery, productsQuery, usersQuery } from '../../../support/model/contract-queries.ts';
import { anyServiceTraits, genericService, truthsOf } from '../../../support/dialects/generic.ts';
import {
  answererOf,
  compileDraft,
  type DraftReport,
  inferDraft,
} from '../../../support/dialects/infer-draft.ts';
import { serve } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const seed = Number(process.env['INFER_SEED'] ?? 20_261_121);

type Answerer = ReturnType<typeof answererOf>;

async function expectModel(
  answerer: Answerer,
  { resource, parameters }: ContractQuery,
  truths: readonly ModelRecord[],
) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await answerer.answer(`GET /v1/${resource}?${query}`);
  const expected = modelList(resource, truths, parameters);
  const body = expected.status === 200 ? modelBody(resource, expected) : undefined;
  expect({ query, ...answer }).toEqual({
    query,
    status: expected.status,
    body: body ?? answer.body,
    reason: expected.status === 200 ? undefined : answer.reason,
  });
}

/** A draft after its operator has added each `nullIf` that an edit asks about. */
function withNulls({ draft, guesses }: DraftReport): string {
  const document = parseDocument(draft);
  for (const { path, confidence, text } of guesses) {
    const [, word] = /\{ nullIf: \['(.*?)'\] \}/.exec(text) ?? [];
    if (confidence !== 'edit' || word === undefined) continue;
    const at = path.split('.');
    const before: unknown = document.getIn(at, false);
    const { from, as } = isMap(before)
      ? (before.toJSON() as { from: string; as: unknown[] })
      : { from: before, as: [] };
    document.setIn(at, { from, as: [...as, { nullIf: [word] }] });
  }
  return String(document);
}

describe('a draft of the sample services', () => {
  it('answers 60 random questions about users as the model does, with two open edits', async () => {
    const users = generateUsers({ seed: 1, count: 900 });
    const service = endAfterTest(createUsersService({ users, credentials: sampleCredentials.users }));
    const { url } = await service.listen();
    const { user, password } = sampleCredentials.users;
    const login = Buffer.from(`${user}:${password}`).toString('base64');
    const report = await inferDraft([
      `${url}/crm/v3/contacts.do`,
      '--resource',
      'users',
      '--name',
      'crm',
      '--header',
      `Authorization: Basic ${login}`,
      '--one',
      `/crm/v3/contact.do?cid=${users[0]!.legacy.cid}`,
    ]);
    // Its sort is called `ord`, which nobody guesses: lists are scanned, and the draft says what would be faster.
    // Two records are too few to show that `none` is no address.
    const open = report.guesses.filter(({ confidence }) => confidence === 'edit');
    expect(open.map(({ path, text }) => [path, text])).toEqual([
      ['resources.users.list.order', expect.stringContaining('order: id is faster')],
      ['resources.users.get.map.profile.avatar_url', expect.anything()],
    ]);
    const answerer = endAfterTest(
      answererOf(compileDraft(report.draft, { CRM_USER: user, CRM_PASSWORD: password })),
    );
    const truths = users.map<ModelRecord>(({ truth: { profile: _profile, ...item } }) => item);
    for (const query of fc.sample(usersQuery, { seed, numRuns: 60 }))
      await expectModel(answerer, query, truths);
    for (const { truth } of users.slice(0, 40)) {
      const { body } = await answerer.answer(`GET /v1/users/${truth.id}`);
      const { data } = JSON.parse(body) as { data: Record<string, unknown> };
      expect(data).toMatchObject({
        id: truth.id,
        name: truth.name,
        email: truth.email,
        created_at: truth.created_at,
      });
    }
    expect((await answerer.answer('GET /v1/users/user_999999999')).status).toBe(404);
  });

  it('answers 60 random questions about products as the model does, once its two edits are made', async () => {
    const products = generateProducts({ seed: 1, count: 700 });
    const service = endAfterTest(createCatalogService({ products, credentials: sampleCredentials.catalog }));
    const { url } = await service.listen();
    const report = await inferDraft([
      `${url}/catalogue/items`,
      '--resource',
      'products',
      '--name',
      'catalog',
      '--header',
      `X-Catalogue-Key: ${sampleCredentials.catalog.key}`,
    ]);
    expect(report.guesses.filter(({ confidence }) => confidence === 'edit').map(({ path }) => path)).toEqual([
      'resources.products.list.map.price',
      'resources.products.list.map.category',
      'resources.products.list.order',
    ]);
    const labels = new Map(products.map(({ truth, legacy }) => [legacy.cc, truth.category]));
    const table = [...labels]
      .flatMap(([code, label]) => (label === null ? [] : [`${code}: '${label}'`]))
      .join(', ');
    const corrected = report.draft
      .replace('{ number: {} }', 'cents')
      .replace('category: cc', `category: { from: cc, as: [{ enum: { ${table} } }] }`);
    const answerer = endAfterTest(
      answererOf(compileDraft(corrected, { CATALOG_CATALOGUE_KEY: sampleCredentials.catalog.key })),
    );
    const truths = products.map<ModelRecord>(({ truth }) => truth);
    for (const query of fc.sample(productsQuery(truths), { seed, numRuns: 60 }))
      await expectModel(answerer, query, truths);
  });
});

describe('a draft of a service without a known dialect', () => {
  it.each(['users', 'products'] as const)(
    `answers about %s as the model does, but for what its edits say of nothing, whatever the service's habits (seed ${seed})`,
    async (resource) => {
      await fc.assert(
        fc.asyncProperty(anyServiceTraits, async (habits) => {
          const truths = truthsOf(habits, resource);
          const service = await serve(genericService(habits, resource), { open: true });
          try {
            const report = await inferDraft([
              `${service.origin}/v7/things`,
              '--resource',
              resource,
              '--name',
              'generic',
            ]);
            expect(report.draft).not.toContain('canary');
            const draft = withNulls(report);
            const { kind } = compileDraft(draft).source.spec.resources[resource]!.list.window;
            // More rows than a first reply has are there to be seen.
            if (habits.count >= 25)
              expect(kind).toBe({ next: 'link', whole: 'none' }[habits.kind as string] ?? habits.kind);
            const answerer = answererOf(compileDraft(draft));
            const questions = resource === 'users' ? usersQuery : productsQuery(truths);
            for (const query of fc.sample(questions, { seed, numRuns: 6 }))
              await expectModel(answerer, query, truths);
            if (resource === 'users') {
              const { id } = truths.at(-1)!;
              expect((await answerer.answer(`GET /v1/users/${id}`)).status).toBe(200);
              expect((await answerer.answer('GET /v1/users/user_99999')).status).toBe(404);
            }
            answerer.close();
          } finally {
            await service.close();
          }
        }),
        { seed, numRuns: Number(process.env['INFER_CASES'] ?? 25) },
      );
    },
    300_000,
  );
});
