import { randomUUID } from 'node:crypto';
import { stringify } from 'yaml';
import { NumberText } from '../kernel/json.ts';
import type { Fixture } from './fixture-schema.ts';

// Long lines are left whole: a fold would be part of no body, but hard to read past.
const OPTIONS = { lineWidth: 0, singleQuote: true, blockQuote: 'literal' } as const;

/** YAML of a document with the digits of its numbers, which the writer itself would round. */
function yamlText(document: unknown): string {
  const mark = `number-${randomUUID()}-`;
  const digits: string[] = [];
  const marked: unknown = JSON.parse(
    JSON.stringify(document, (_key, part: unknown) =>
      part instanceof NumberText ? `${mark}${digits.push(part.text) - 1}.` : part,
    ),
  );
  return stringify(marked, OPTIONS).replaceAll(
    new RegExp(`${mark}(\\d+)\\.`, 'g'),
    (_whole, index: string) => digits[Number(index)] ?? '',
  );
}

/** The text of a fixture's file, with a comment above it. `readFixture` reads the same fixture from it. */
export function fixtureText(fixture: Fixture, comment: string): string {
  const exchanges = fixture.upstream.map(({ request, reply }) => ({
    request: {
      method: request.method,
      target: request.target,
      ...(Object.keys(request.headers).length > 0 && { headers: request.headers }),
      ...(request.body !== undefined && { body: request.body }),
    },
    reply,
  }));
  const expect = { status: fixture.status, ...fixture.expected };
  return `# ${comment}\n${yamlText({ request: fixture.request, upstream: exchanges, expect })}`;
}
