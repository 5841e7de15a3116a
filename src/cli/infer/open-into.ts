// Reads the source file of `portico infer --into`, so that more resources of the same service are added to it.

import type { ConnectionSpec } from '../../config/schema/source.ts';
import { InferError } from '../../workbench/infer/notes/note.ts';
import { liveEnvironment, readSource } from '../input/read-config.ts';
import { readRegularFile } from '../input/regular-file.ts';

/** The headers that a source file describes, as `--header` takes them. */
function headersOf({ auth, net }: ConnectionSpec): readonly string[] {
  const constants = Object.entries(net.headers).map(([name, value]) => `${name}: ${value}`);
  if (auth.kind === 'header') return [...constants, `${auth.name}: ${auth.value.reveal()}`];
  if (auth.kind !== 'basic') return constants;
  const pair = `${auth.user.reveal()}:${auth.password.reveal()}`;
  return [...constants, `Authorization: Basic ${Buffer.from(pair).toString('base64')}`];
}

/** Opens the file of `--into`, to which resources are added, with the address and the credential that it describes. */
export function openInto(file: string, variables: Readonly<Record<string, string | undefined>>) {
  const described = readSource(file, liveEnvironment(variables));
  const [compiled] = described;
  if (compiled === undefined) throw new InferError(`${file} describes no resource`);
  const { spec } = compiled.source;
  const { auth } = spec;
  return {
    name: spec.name,
    headers: headersOf(spec),
    into: {
      file,
      text: readRegularFile(file),
      resources: described.map(({ resource }) => resource.name),
      coercions: compiled.source.coercions,
    },
    address(text: string): string {
      const url = new URL(text, spec.net.baseUrl);
      if (auth.kind === 'query') url.searchParams.set(auth.name, auth.value.reveal());
      return url.href;
    },
  };
}
