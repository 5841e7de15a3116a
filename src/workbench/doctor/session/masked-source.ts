import { type Adapter, compileAdapter } from '../../../source/adapter/compile.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resources.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import { maskSource } from './mask-secrets.ts';
import { type PairedAdapter, pairRequests } from './pair-requests.ts';

/** Compiles a source that is known to be valid. @throws Error if it lacks the resource */
export function compileValid(spec: SourceSpec, resource: Resource): Adapter {
  const adapter = compileAdapter(spec, resource, () => undefined);
  if (adapter === undefined) throw new Error(`the source does not describe ${resource.name}`);
  return adapter;
}

/** A source whose secrets are `***`, compiled: its requests can be displayed. @throws Error if the file lacks the resource */
export function maskedSource({ source, resource }: CompiledSource) {
  const spec = maskSource(source);
  return { spec, adapter: compileValid(spec, resource) };
}

/**
 * The adapter of a source, and each of its requests as a fixture may keep it: what the file fills in from the
 * environment, and constants under names such as `token`, are `***`.
 */
export function maskRequests(compiled: CompiledSource): PairedAdapter {
  return pairRequests(compiled.adapter, maskedSource(compiled).adapter);
}
