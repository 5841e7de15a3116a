import type { Redis } from 'ioredis';

/**
 * Sends all commands of one turn of the event loop in one write: replies that arrive together cause commands together,
 * and a write costs more than the rest of ioredis' work for a command.
 */
export function pipelinePerTurn(client: Redis): void {
  const send = client.sendCommand.bind(client);
  let held: Redis['stream'] | undefined;

  function flush(): void {
    const stream = held;
    held = undefined;
    stream?.uncork();
  }

  client.sendCommand = function sendInTurn(command, stream) {
    // If the connection opens in the same turn, it writes for itself.
    if (held === undefined && client.status === 'ready') {
      held = client.stream;
      held.cork();
      setImmediate(flush);
    }
    return send(command, stream);
  };
}
