import type { RoutingSpec } from '../../../src/http/routing.ts';
import { operation, replyOf, startPublicListener } from '../../support/gateway/public-listener.ts';
import { askRaw, request } from '../../support/client/raw-client.ts';

describe("the caller's address", () => {
  async function addressFor(
    trustProxy: RoutingSpec['trustProxy'],
    ...forwardedFor: string[]
  ): Promise<string> {
    const echo = operation((call) => Promise.resolve(replyOf(JSON.stringify(call.request.address))));
    const listener = await startPublicListener({ operations: [echo], trustProxy });
    const lines = forwardedFor.map((value) => `X-Forwarded-For: ${value}`);
    const answer = await askRaw(
      listener.port,
      request('GET', '/v1/users', [...lines, 'X-Real-IP: 9.9.9.9', 'Forwarded: for=9.9.9.9']),
    );
    await listener.stop();
    return JSON.parse(answer.body.toString()) as string;
  }

  it.each([
    ["is the connection's where no proxy is trusted", false, ['1.2.3.4'], '127.0.0.1'],
    ['is what the one trusted proxy saw', 1, ['6.6.6.6, 1.2.3.4'], '1.2.3.4'],
    ['is what the outer of two trusted proxies saw', 2, ['6.6.6.6, 1.2.3.4, 10.0.0.1'], '1.2.3.4'],
    ['is read over repeated lines', 2, ['6.6.6.6', '1.2.3.4', '10.0.0.1'], '1.2.3.4'],
    [
      'is the first that no trusted range holds',
      ['127.0.0.0/8', '10.0.0.0/8'],
      ['1.2.3.4, 10.0.0.1'],
      '1.2.3.4',
    ],
    ["is the connection's where it comes from no trusted range", ['10.0.0.0/8'], ['1.2.3.4'], '127.0.0.1'],
    ["is the connection's where the proxy forwards garbage", 1, ['garbage'], '127.0.0.1'],
    ['is reported without the port that the proxy forwards as well', 1, ['1.2.3.4:80'], '1.2.3.4'],
    ['is reported without brackets and port of IPv6', 1, ['[2001:db8::1]:80'], '2001:db8::1'],
    ["is the connection's where what has a port is no address", 1, ['999.2.3.4:80'], '127.0.0.1'],
    ["is the connection's where nothing was forwarded", 1, [], '127.0.0.1'],
    ['is reported in one spelling', 1, ['::ffff:1.2.3.4'], '1.2.3.4'],
    ['may be of IPv6', 1, ['2001:db8::1'], '2001:db8::1'],
  ] satisfies [string, RoutingSpec['trustProxy'], string[], string][])(
    '%s',
    async (_name, trustProxy, forwarded, address) => {
      expect(await addressFor(trustProxy, ...forwarded)).toBe(address);
    },
  );
});
