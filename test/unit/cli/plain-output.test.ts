import { runCommand } from '../../support/command/run-command.ts';

describe('the output of a command', () => {
  it('shows characters that a terminal would obey, in texts and in JSON', async () => {
    const name = 'a\u001b[2Jb\u009b31mc\u202ed';
    const shown = 'a\\u001b[2Jb\\u009b31mc\\u202ed';
    const { err } = await runCommand(['check', '--source', `/nowhere/${name}.yaml`]);
    expect(err).toContain(`/nowhere/${shown}.yaml`);
    for (const character of name.match(/[^ -~]/g) ?? []) expect(err).not.toContain(character);
    expect(err.endsWith('\n')).toBe(true);
  });
});
