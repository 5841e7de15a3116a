import { problemText } from '../../../src/config/yaml/problem.ts';
import { changed, gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

function problemsOf(gateway: string): string[] {
  return loadTexts({ gateway, sources: sourceTexts }).problems.map(problemText);
}

describe('the places that a gateway file names', () => {
  it.each([
    ['127.0.0.1', '8080', true],
    ['0.0.0.0', '8080', true],
    ['127.0.0.1', '9090', false],
  ])('both listeners have a place of their own: the operator at %s:%s', (host, port, isReported) => {
    const admin = `host: ${host}\n  port: ${port}\n  token: 0123456789abcdef0123456789abcdef\n`;
    const text = gatewayText.replace(/( {2}host: \$\{ADMIN_HOST[^]*?)\n\n/, `  ${admin}\n`);
    const found = problemsOf(text);
    expect(found.some((one) => one.includes('admin.port: listen.port is 8080 too'))).toBe(isReported);
    expect(found.length).toBe(isReported ? 1 : 0);
  });

  it('keys in a Redis have a pepper that is not published', () => {
    const notesOf = (gateway: string) =>
      loadTexts({ gateway, sources: sourceTexts })
        .config.notes.map(problemText)
        .filter((one) => one.includes('pepper'));
    expect(notesOf(gatewayText)).toEqual([]);
    expect(notesOf(changed(gatewayText, '${REDIS_URL:-}', 'redis://127.0.0.1'))).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: auth\.apiKeys\.pepper: the pepper is the published one.*\n {4}hint: set PORTICO_KEY_PEPPER/,
      ),
    ]);
  });
});
