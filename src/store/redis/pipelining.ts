import type { Redis } from 'ioredis';

/**
 * Has the commands of one turn of the event loop leave in one write: answers that come together ask together, and each
 * write costs more than what ioredis does for its command.
 */
export function pipelinePerTurn(client: Redis): void {
  const send = client.sendCommand.bind(client);
  let held: Redis['stream'] | undefined;

  function letGo(): void {
    const stream = held;
    held = undefined;
    stream?.uncork();
  }

  client.sendCommand = function sendInTurn(command, stream) {
    // A connection that comes in the same turn writes for itself.
    if (held === undefined && client.status === 'ready') {
      held = client.stream;
      held.cork();
      setImmediate(letGo);
    }
    return send(command, stream);
  };
}
