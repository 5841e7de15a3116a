// The entry file of the thread that reads large replies of one source (large-replies.ts starts it), because decoding and
// mapping many rows would block the event loop of the gateway. The adapter has no state, so the thread compiles its own.

import { parentPort, workerData } from 'node:worker_threads';
import { type Adapter, compileAdapter, type Rows } from '../../../source/adapter/compile.ts';
import type { ReplyObserver, RuleObserver } from '../../../source/adapter/map/reply-observer.ts';
import { compileContract } from '../../../contract/compile-contract.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import {
  compileCodecs,
  type ReaderData,
  type ReadingResult,
  type ReadingTask,
  writeParts,
} from './reply-parts.ts';

const { spec, contract, resource: name, proof } = workerData as ReaderData;
const resource = compileContract(contract, () => undefined).resources.get(name);
/** The thread never calls the source, so it gets the proof that replies must show, but not the credential. */
const nobody = { kind: 'header', name: 'Authorization', value: new Secret(''), proof } as const;
if (resource === undefined) throw new Error(`the contract has no resource ${name}`);
const adapter = compileAdapter({ ...spec, auth: nobody }, resource, () => undefined);
const codecs = compileCodecs(spec, resource);

function replyOf({ status, headers, body }: ReadingTask): UpstreamReply {
  return {
    status,
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    header(name) {
      // After this error, the main thread reads the reply itself.
      if (!Object.hasOwn(headers, name)) throw new Error('a header that was not sent along');
      return headers[name];
    },
  };
}

/** Reads a reply as its task says. A record is returned as a list of one row, a total as an empty list. @throws GatewayError */
function readAs({ list, get }: Adapter, task: ReadingTask, observer: ReplyObserver): Rows {
  const { view } = task;
  const reply = replyOf(task);
  if (view === 'list') return list.read(reply, observer);
  const none = { records: [], received: 0, total: undefined, next: undefined };
  if (view === 'count') return { ...none, total: list.readCount(reply, observer) };
  const one = view === 'get' ? get : list.details;
  if (one === undefined) throw new Error('the source has no such view');
  const record = one.find(reply, observer);
  return record === undefined ? none : { ...none, records: [record], received: 1 };
}

function resultOf(task: ReadingTask): ReadingResult {
  const { id } = task;
  let rule: number | undefined;
  const onRule: RuleObserver['onRule'] = (decided) => (rule = decided);
  try {
    if (adapter === undefined) return { id, failed: true };
    const parts = writeParts(codecs[task.view], (onMissingValue) =>
      readAs(adapter, task, { onMissingValue, onRule }),
    );
    return { id, rule, parts };
  } catch (error) {
    if (!(error instanceof GatewayError)) return { id, failed: true };
    const { code, detail, reason, retryAfterSeconds, credentialRefused, sourceHealth } = error;
    const carried = { code, detail, reason, retryAfterSeconds, credentialRefused, sourceHealth };
    return { id, rule, fault: carried };
  }
}

parentPort?.on('message', (task: ReadingTask) => {
  const result = resultOf(task);
  const buffers = 'parts' in result ? result.parts.map(({ buffer }) => buffer as ArrayBuffer) : [];
  parentPort?.postMessage(result, buffers);
});
