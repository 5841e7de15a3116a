import { readFileSync } from 'node:fs';
import { installServer, startServer } from '../../upstreams/folder.ts';
import { openWriter, writeRandomly } from '../../upstreams/writers.ts';
import type { Random } from '../generate/random.ts';
import { type Asked } from '../generate/questions.ts';
import type { Model } from '../oracle/model.ts';
import type { Held, ServiceCase } from './case.ts';

const here = new URL('./', import.meta.url).pathname;
const upstreams = new URL('../../upstreams/', import.meta.url).pathname;

/** A file of a case. */
export const fileOf = ({ server }: ServiceCase, name: string) =>
  readFileSync(`${here}${server}/${name}`, 'utf8');

/** The product with the version that is installed of it. */
export function versionOf({ server, product }: ServiceCase): string {
  const text = readFileSync(`${upstreams}${server}/package.json`, 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Readonly<Record<string, string>> };
  return `${product} ${dependencies[product]}`;
}

/** A server at work, and what its store holds. */
export type RunningCase = {
  readonly url: string;
  /** What questions and the oracle need of each resource, from what the store holds now. */
  readonly read: (models: ReadonlyMap<string, Model>) => Promise<readonly Asked[]>;
  /** So many changes to each resource, by the server's own interface at this address. */
  readonly write: (at: string, random: Random, count: number) => Promise<void>;
  close(): Promise<void>;
};

/** Installs and starts the server of a case. */
export async function startCase(one: ServiceCase, random: Random): Promise<RunningCase> {
  const folder = { name: one.server };
  await installServer(folder);
  const program = { name: 'contract-service', file: `${here}${one.server}/server.js` };
  const { url, process } = await startServer(folder, one.data(random), program);
  const store = async () =>
    (await (await fetch(`${url}/store`)).json()) as Readonly<Record<string, readonly Held[]>>;
  return {
    url,
    async read(models) {
      const held = await store();
      return [...models.values()].map((model) => ({
        model,
        rows: held[model.name]!.map((record) => ({ truth: one.resources[model.name]!.truth(record) })),
      }));
    },
    async write(at, random, count) {
      const held = await store();
      for (const [name, { list, writes, idOf }] of Object.entries(one.resources)) {
        const writer = openWriter(at + list, writes, {});
        const ids = held[name]!.map(idOf);
        await writeRandomly(writer, writes, ids, { count, below: (end) => random.below(end) });
      }
    },
    close: () => process.kill(),
  };
}
