import { readMarkdown } from '../../../../../src/admin/console/page/show/markdown.ts';

describe('an entry of the runbook as data', () => {
  it('begins a paragraph at each label, and marks code and what is strong', () => {
    expect(readMarkdown('**Means:** 504, `deadline`\nis over.\n**Do:** ask.')).toEqual([
      {
        kind: 'paragraph',
        pieces: [
          { kind: 'strong', text: 'Means:' },
          { kind: 'text', text: ' 504, ' },
          { kind: 'code', text: 'deadline' },
          { kind: 'text', text: ' is over.' },
        ],
      },
      {
        kind: 'paragraph',
        pieces: [
          { kind: 'strong', text: 'Do:' },
          { kind: 'text', text: ' ask.' },
        ],
      },
    ]);
  });

  it('keeps blocks of code as they are, and lists by their items', () => {
    expect(readMarkdown('See:\n\n```sh\ngrep x  log\n```\n\n- one\n- two')).toEqual([
      { kind: 'paragraph', pieces: [{ kind: 'text', text: 'See:' }] },
      { kind: 'pre', text: 'grep x  log' },
      { kind: 'item', pieces: [{ kind: 'text', text: 'one' }] },
      { kind: 'item', pieces: [{ kind: 'text', text: 'two' }] },
    ]);
  });

  it('makes markup and links plain text', () => {
    expect(readMarkdown('<img src=x> [log](javascript:alert(1)) **')).toEqual([
      { kind: 'paragraph', pieces: [{ kind: 'text', text: expect.stringMatching(/^<img src=x> log/) }] },
    ]);
  });
});
