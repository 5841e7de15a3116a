import process from 'node:process';

/** The environment of a test file: the realm of its worker, which all files of the worker share. */
export default class NativeEnvironment {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern = null;
  readonly moduleMocker = null;
  readonly #console = console;
  readonly #exit = Reflect.get(process, 'exit');

  setup(): Promise<void> {
    // The runner asks for 100, as its own errors have a realm of their own. The gateway makes errors with 10.
    Error.stackTraceLimit = 10;
    return Promise.resolve();
  }

  /** Takes back what the runner has put in place of it. */
  teardown(): Promise<void> {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    return Promise.resolve();
  }

  exportConditions(): readonly string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
