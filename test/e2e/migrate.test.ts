import { execFile } from 'node:child_process';
import {
  createKey,
  NODE,
  startDemo,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { program } from '../support/process/program.ts';
import { eventually } from '../support/time/eventually.ts';
import { describeOnRequest } from '../support/jest/describe-on-request.ts';
import { readDocument } from '../project/documents/document.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { endAfterTest, startForAll } from '../support/jest/lifetime.ts';

/** Where the commands of the document are run. */
type Place = {
  readonly url: string;
  readonly key: string;
  readonly admin: string;
  readonly people: string;
};

/** The lines of the first section, in their order; the first block only says where they are run. */
function commandsOf(): readonly string[] {
  const { text } = readDocument('config/docs/migrate.md');
  const [, section = ''] = /^## Ten steps\n([^]*?)^## /m.exec(text) ?? [];
  const [, ...blocks] = [...section.matchAll(/^```sh\n([^]*?)^```/gm)];
  return blocks.flatMap(([, block = '']) =>
    block.startsWith('for ') ? block : block.split('\n').filter((line) => line !== ''),
  );
}

/** Runs a line in a shell, as a reader does. */
function runLine(
  line: string,
  { url, key, admin, people }: Place,
): Promise<{ readonly code: number; readonly out: string }> {
  const script = `portico() { ${NODE} ${program()} "$@"; }\n${line}`;
  const names = { PORTICO_URL: url, PORTICO_KEY: key, PORTICO_ADMIN: admin, PEOPLE_URL: people };
  const env = { ...process.env, ...names };
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out: out + err });
    });
  });
}

/** A step that comes too early ends with 1: then a reader waits some seconds, and asks again. */
async function runUntilDone(line: string, place: Place): Promise<string> {
  return eventually(
    async () => {
      const { code, out } = await runLine(line, place);
      if (code !== 0) throw new Error(`${line} ended with ${String(code)}: ${out}`);
      return out;
    },
    { withinMs: 90_000, everyMs: 1_000 },
  );
}

/** Answers that must be the same before and after. */
async function answersOf({ url, key }: Place): Promise<readonly string[]> {
  const paths = ['/v1/users?limit=5', '/v1/users?limit=5&sort=-created_at', '/v1/users?limit=100&page=50'];
  const texts: string[] = [];
  for (const path of paths) {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    texts.push(`${String(answer.status)} ${answer.headers.get('etag') ?? ''} ${await answer.text()}`);
  }
  return texts;
}

async function follow(place: Place): Promise<void> {
  const before = await answersOf(place);
  for (const line of commandsOf()) await runUntilDone(line, place);
  const status = await fetch(`${place.admin}/api/migrations/users`);
  expect(await status.json()).toMatchObject({ stage: 'complete', lastRollback: { rule: 'asked' } });
  expect(await answersOf(place)).toEqual(before);
}

// Both stores are walked and soaked: that takes minutes.
describeOnRequest('FLEETS', 'the ten steps of config/docs/migrate.md', () => {
  it('move the users of the demo, with a rollback on the way, and no answer changes', async () => {
    const { process: running, url, key } = await startDemo();
    endAfterTest(running);
    const [, admin = '', people = ''] = await running.prints(/PORTICO_ADMIN=(\S+) PEOPLE_URL=(\S+)/);
    await follow({ url, key, admin, people });
    running.signalGroup('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  describe('with Redis', () => {
    const redis = startForAll(startRedis);
    const upstreams = startForAll(startUpstreams);
    const pepper = { PORTICO_KEY_PEPPER: 'a-pepper-of-the-ten-steps' };
    const env = () => ({ ...upstreams.env, REDIS_URL: redis.url, ...pepper });
    const gateway = startForAll(() => startGatewayProcess(env(), 'config/demo.yaml'));

    it('do the same', async () => {
      const { key } = await createKey('config/demo.yaml', env());
      const { url, adminUrl: admin } = gateway;
      await follow({ url, key, admin, people: upstreams.env.PEOPLE_URL });
    });
  });
});
