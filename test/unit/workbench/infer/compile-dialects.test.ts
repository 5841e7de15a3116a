import { readSource } from '../../../../src/cli/input/read-config.ts';
import { shippedExamples } from '../../../../src/cli/input/shipped-files.ts';
import { ConfigError } from '../../../../src/config/yaml/problem.ts';
import { readJson } from '../../../../src/kernel/json/json.ts';
import { compileDialects } from '../../../../src/workbench/infer/dialects/compile-dialects.ts';
import { readFixtures } from '../../../../src/workbench/recordings/read-fixtures.ts';

const examples = shippedExamples();
const dialects = compileDialects(examples);

/** The dialect that the recorded page of an example is recognised as. */
function recognised(example: string): string | undefined {
  const [first] = readFixtures(readSource(`config/examples/${example}.yaml`)).filter(
    ({ name }) => name === 'products-page',
  );
  const { request, reply } = first!.fixture.upstream[0]!;
  const look = {
    resource: 'products' as const,
    request: { method: 'GET' as const, path: request.target.split('?')[0]!, query: {}, headers: {} },
    reply: { status: 200, header: (name: string) => reply.headers[name], body: Buffer.alloc(0) },
    document: readJson(reply.body ?? ''),
    row: undefined,
  };
  return dialects.find((dialect) => dialect.matches(look))?.key;
}

describe('the dialects of the examples', () => {
  it('have a key and a title each of its own', () => {
    expect(dialects).toHaveLength(29);
    for (const name of ['key', 'title'] as const)
      expect(new Set(dialects.map((dialect) => dialect[name])).size).toBe(dialects.length);
  });

  it.each(['feathers', 'json-server-1', 'json-api', 'django-rest-cursor', 'postgrest', 'directus'])(
    'recognise the recorded page of %s',
    (example) => expect(recognised(example)).toBe(example),
  );

  it('are refused with an unknown key', () => {
    const broken = examples.map(({ file, text }) => ({
      file,
      text: text.replace('title: Okta', 'titel: Okta'),
    }));
    expect(() => compileDialects(broken)).toThrow(ConfigError);
  });
});
