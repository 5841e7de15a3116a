// Describes the configuration in force for operators: its files without secrets, and the history of reloads.

import type { ActionValue } from '../../admin/api/action-table.ts';
import type { Overview } from '../../admin/api/metric-specs.ts';
import { allFiles, type ConfigTexts } from '../../config/load.ts';
import { hideSecrets } from '../../config/yaml/hide-secrets.ts';
import { Secret } from '../../kernel/secret.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { Acknowledged } from './reload-outcome.ts';
import type { createReloadRecorder } from './reload-recorder.ts';
import type { ServedConfig } from './snapshot.ts';

type ReloadHistory = Pick<ReturnType<typeof createReloadRecorder>, 'since' | 'lastChange' | 'history'>;

/** All secrets in a part of a configuration, as texts. */
function secretsIn(part: unknown): readonly string[] {
  if (part instanceof Secret) return [part.reveal()];
  if (typeof part !== 'object' || part === null) return [];
  return Object.values(part).flatMap(secretsIn);
}

/** The files of a configuration, without their secrets. */
export function shownFiles({ gateway, compiled, texts }: ServedConfig & { readonly texts: ConfigTexts }) {
  // A contract is public, so it has no secrets.
  const { contract: _, ...own } = gateway;
  const secrets = [own, ...withTargets(compiled).map(({ source }) => source.spec)].flatMap(secretsIn);
  return allFiles(texts.files).map(({ file, text }) => ({ name: file, text: hideSecrets(text, secrets) }));
}

/** The history of a configuration that is never read again. */
export function fixedHistory({ rev, digest }: Overview['config']): ReloadHistory {
  const since = new Date().toISOString();
  const start = { at: since, by: 'start', outcome: 'started', rev, digest, changes: [] } as const;
  return { since, lastChange: [], history: [start] };
}

/** Builds the answer of the action `config`: everything that an operator may know about the configuration in force. */
export function describeConfig(
  inForce: ServedConfig & { readonly texts: ConfigTexts },
  { rev, digest, stale }: Overview['config'],
  { since, lastChange, history }: ReloadHistory,
  acknowledged: Acknowledged,
): ActionValue<'config'> {
  return {
    scope: 'workers',
    rev,
    digest,
    since,
    ...(stale && { stale }),
    ...acknowledged,
    files: shownFiles(inForce),
    lastChange,
    reloads: history,
  };
}
