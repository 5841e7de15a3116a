import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Every text of the project that people read: documents, configuration, code, and what commands print. */
const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.(?:md|ya?ml|json|ts|sh|example)$/.test(file) && !file.endsWith('-lock.json'))
  .filter((file) => !file.startsWith('test/project/documents/npx'));

describe('until the name is published', () => {
  it('no text fetches whatever has the name `portico` on the registry', () => {
    const bare =
      /\b(?:npx|npm exec|npm init|npm create)(?: -[-\w]+(?: --)?)* portico\b|\bnpm (?:i|install|add) portico\b/;
    const found = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (bare.test(line) ? [`${file}:${index + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
