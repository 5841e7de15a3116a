import { readFileSync } from 'node:fs';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { maskedTwin } from './explanation.ts';
import { withShownRequests } from './witness-calls.ts';

/**
 * The adapter of a source, and each of its requests as it may be kept: what its file fills in from the environment,
 * and constants under names such as `token`, are `***`.
 */
export function maskRequests(compiled: CompiledSource) {
  const text = readFileSync(compiled.source.yaml.file, 'utf8');
  return withShownRequests(compiled.adapter, maskedTwin(compiled, text).adapter, true);
}
