import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { Secret } from '../../../src/kernel/secret.ts';

const canary = 'canary-7f3a';
const secret = new Secret(canary);

function logged(fields: object): string {
  let lines = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines += chunk.toString();
      done();
    },
  });
  pino({}, sink).info(fields, 'a line');
  return lines;
}

describe('a secret', () => {
  it('is given away by reveal', () => expect(secret.reveal()).toBe(canary));

  it.each<[string, () => string]>([
    ['String', () => String(secret)],
    ['a template', () => `secret: ${secret as unknown as string}`],
    ['JSON.stringify', () => JSON.stringify({ deep: [{ secret }] })],
    ['util.inspect', () => inspect({ deep: { secret } }, { depth: 9, showHidden: true })],
    ['an error that carries it', () => inspect(new Error('x', { cause: secret }), { depth: 9 })],
    ['pino', () => logged({ secret, deep: { secret }, err: Object.assign(new Error('x'), { secret }) })],
    [
      'its own keys',
      () => Reflect.ownKeys(secret).map(String).join() + JSON.stringify(Object.entries(secret)),
    ],
    ['a copy', () => JSON.stringify([Object.assign({}, secret), structuredClone(secret)])],
  ])('is not shown by %s', (_name, show) => expect(show()).not.toContain(canary));

  it('shows as *** in logs and texts', () => {
    expect(String(secret)).toBe('***');
    expect(logged({ secret })).toContain('"secret":"***"');
  });
});
