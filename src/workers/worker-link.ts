import type { Counts, FromWorker, Question, WorkerProcess } from './messages.ts';

/** A worker as its primary speaks with it. */
export type WorkerLink = {
  readonly process: WorkerProcess;
  /** What it has counted, as far as it has been told. */
  readonly counts: Counts | undefined;
  /** Rejects where the worker fails, does not answer in time, or is gone. */
  ask(question: Question, timeoutMs: number): Promise<unknown>;
};

type Asked = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** Links up with a worker; what is no answer is told to `onMessage`. */
export function createWorkerLink(
  process: WorkerProcess,
  onMessage: (message: FromWorker) => void,
): WorkerLink {
  const asked = new Map<number, Asked>();
  let questions = 0;
  let counts: Counts | undefined;

  process.onMessage((message) => {
    if (message.kind === 'left') counts = message.counts;
    if (message.kind !== 'answer') {
      onMessage(message);
      return;
    }
    const { number, value, problem } = message;
    if (problem === undefined) asked.get(number)?.resolve(value);
    else asked.get(number)?.reject(new Error(problem));
  });
  process.onExit(() => {
    for (const { reject } of asked.values()) reject(new Error('the worker has ended'));
  });

  function answerTo(question: Question, timeoutMs: number): Promise<unknown> {
    const number = (questions += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle.reject(new Error('the worker does not answer')), timeoutMs);
      const over = () => {
        clearTimeout(timer);
        asked.delete(number);
      };
      const settle: Asked = {
        resolve(value) {
          over();
          resolve(value);
        },
        reject(error) {
          over();
          reject(error);
        },
      };
      asked.set(number, settle);
      void process.send({ kind: 'ask', number, question });
    });
  }

  return {
    process,
    get counts() {
      return counts;
    },
    async ask(question, timeoutMs) {
      const value = await answerTo(question, timeoutMs);
      if (question.about === 'counts') counts = value as Counts;
      return value;
    },
  };
}
