import type { RunningGateway } from '../gateway/running-gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { startGateway } from '../gateway/start-gateway.ts';
import { type Dialect, textKeysOf } from './seeds.ts';

/** A whole gateway in front of one source. */
export type HostileGateway = RunningGateway & {
  readonly spec: SourceSpec;
  /** The names under which a text of a reply may rightly leave. */
  readonly textKeys: ReadonlySet<string>;
  /** What it logged since the last time it was asked. */
  takeLog(): string;
};

/** What a body may hold, in bytes: small, so that many large ones cost little. */
const BYTES_MAX = 256 * 1024;

/** Puts a dialect behind a gateway; every address in its file is that of the upstream. */
export async function startHostileGateway(
  { name, text }: Dialect,
  upstream: string,
): Promise<HostileGateway> {
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable);
  const variables = Object.fromEntries(
    names.map((one) => [one, one.includes('URL') ? upstream : 'placeholder']),
  );
  let spec: SourceSpec | undefined;
  const gateway = await startGateway({
    sources: { [`${name}.yaml`]: text },
    variables,
    isPatient: false,
    level: 'trace',
    configure(config, source) {
      config.log.level = 'debug';
      spec = source!;
      Object.assign(spec.net, { bytesMax: BYTES_MAX, timeout: 300 });
      Object.assign(spec.budget, { rows: 2_000, calls: 12, time: 1_500, snapshot: 0 });
    },
  });
  if (spec === undefined) throw new Error(`${name} has no source`);
  let taken = 0;
  return {
    ...gateway,
    spec,
    textKeys: textKeysOf(spec),
    takeLog() {
      const text = gateway.log.slice(taken).join('');
      taken = gateway.log.length;
      return text;
    },
  };
}
