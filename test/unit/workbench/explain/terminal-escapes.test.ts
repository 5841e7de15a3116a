import { keyTable } from '../../../../src/workbench/explain/report/key-report.ts';
import { auditLines } from '../../../../src/workbench/explain/report/audit-report.ts';
import { renderText } from '../../../../src/workbench/explain/report/report.ts';

/** Moves the cursor up, clears the line, ends it, and writes backwards. */
const FORGERY = 'user:1\u001b[1A\u001b[2K\r\n\u009b2K\u202e\u2028#1 nothing';

describe('what a terminal shows', () => {
  it('of the audit cannot be forged by a text in it', () => {
    const entry = {
      ...{ number: 1, at: '2026-01-31T09:00:00.000Z', gateway: 'host-1:1', previous: '' },
      ...{ actor: 'ada', action: 'cache.purge', target: FORGERY, reason: FORGERY, outcome: FORGERY },
      ...{ before: { label: FORGERY }, after: { label: 'x' } },
    };
    const text = renderText(auditLines([entry]));
    expect(text.split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2028]/u);
    expect(text).toContain(String.raw`\u{1b}[2K`);
  });

  it('of keys cannot be forged by a label', () => {
    const key = {
      ...{ id: 'abcdefghijkl', label: FORGERY, tier: 'standard', permissions: [], secrets: 1 },
      state: 'valid' as const,
      createdAt: '2026-01-31T09:00:00.000Z',
    };
    const text = renderText([keyTable([key], 0)]);
    expect(text.split('\n')).toHaveLength(4);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2028]/u);
  });
});
