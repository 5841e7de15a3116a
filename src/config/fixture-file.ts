import { stringify } from 'yaml';
import { type Json, NumberText } from '../kernel/json.ts';
import type { Fixture } from './fixture-schema.ts';

/** JSON text with the digits of its numbers; JSON is YAML, too. */
function jsonText(value: Json): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) => (part instanceof NumberText ? JSON.rawJSON(part.text) : part),
    2,
  );
}

function indented(text: string, by: string): string {
  return text.split('\n').join(`\n${by}`);
}

function expectText({ status, expected }: Fixture): string {
  const lines = [`  status: ${status}`];
  if ('error' in expected) lines.push(`  error: ${expected.error}`);
  else lines.push(`  body: ${indented(jsonText(expected.body), '  ')}`);
  return lines.join('\n');
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
  // Long lines are left whole: a fold would be part of no body, but hard to read past.
  const options = { lineWidth: 0, singleQuote: true, blockQuote: 'literal' } as const;
  const asked = stringify({ request: fixture.request, upstream: exchanges }, options);
  return `# ${comment}\n${asked}expect:\n${expectText(fixture)}\n`;
}
