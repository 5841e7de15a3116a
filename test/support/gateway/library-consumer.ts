/** What a host writes; the last line is an error that the types must find. */
export const LIBRARY_CONSUMER = `import { createServer } from 'node:http';
import { PorticoError, createPortico, type Portico } from 'portico';
const portico: Portico = await createPortico({
  config: 'portico.yaml',
  authenticate: async ({ headers }) => (headers.cookie ? { id: 'ada', permissions: ['users:read'] } : undefined),
});
createServer((req, res) => portico.handler(req, res, () => void res.end()));
const { port } = await portico.listen();
export const shown: string = String(port) + (await portico.metrics().metrics()) + portico.status().config.digest;
export const lines = (error: unknown) => (error instanceof PorticoError ? error.problems.map(({ line }) => line) : []);
// @ts-expect-error: there is no such option
await createPortico({ config: 'portico.yaml', colour: 1 });
`;

/** The settings with which a host checks it: no library's types are skipped, and there are those of Node alone. */
export function consumerTsconfig(moduleResolution: 'nodenext' | 'bundler', packages: string) {
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
  return {
    compilerOptions: {
      ...{ strict: true, skipLibCheck: false, noEmit: true, target: 'es2024', module, moduleResolution },
      ...{ types: ['node'], typeRoots: [`${packages}/@types`] },
    },
    files: ['consumer.ts'],
  };
}
