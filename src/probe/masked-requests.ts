import { readFileSync } from 'node:fs';
import { compileAdapter } from '../adapter/compile.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { maskSource } from './mask-source.ts';
import { withShownRequests } from './record-calls.ts';

/** A source whose secrets are `***`, compiled: its requests can be shown. @throws Error if the file lacks the resource */
export function maskedSource({ source, resource }: CompiledSource, text: string) {
  const spec = maskSource(source, text);
  const adapter = compileAdapter(spec, resource, () => undefined);
  if (adapter === undefined) throw new Error(`the source does not describe ${resource.name}`);
  return { spec, adapter };
}

/**
 * The adapter of a source, and each of its requests as it may be kept: what its file fills in from the environment,
 * and constants under names such as `token`, are `***`.
 */
export function maskRequests(compiled: CompiledSource) {
  const text = readFileSync(compiled.source.yaml.file, 'utf8');
  return withShownRequests(compiled.adapter, maskedSource(compiled, text).adapter, true);
}
