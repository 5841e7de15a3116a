import { ActionRefusal } from '../../api/action.ts';
import type { ActionHandlers } from '../act.ts';

const ENTRY = /^### `(\w+)`$/;

/** The entries of the runbook: their texts by their names. */
function entriesOf(runbook: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let name: string | undefined;
  for (const line of runbook.split('\n')) {
    if (line.startsWith('#')) name = ENTRY.exec(line)?.[1];
    else if (name !== undefined) entries.set(name, `${entries.get(name) ?? ''}${line}\n`);
  }
  return entries;
}

/** Creates the action that reads the runbook, a Markdown text with an entry under each heading of the third level. */
export function createRunbookActions(runbook: string): ActionHandlers {
  const entries = entriesOf(runbook);
  return {
    runbook({ entry }) {
      const text = entries.get(entry)?.trim();
      if (text !== undefined) return { entry, title: entry, text };
      const names = [...entries.keys()].join(', ');
      const hint = names === '' ? 'config/docs/runbook.md is not beside this gateway' : `there are: ${names}`;
      throw new ActionRefusal('not_found', `the runbook has no entry ${entry}`, hint);
    },
  };
}
