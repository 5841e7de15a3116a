import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import './fixed-cases.ts';

/*
 * Jest's own runtime gives each test file a realm of its own and loads every module anew for it. With hundreds of files
 * that load the whole gateway, this took half of the suite's time. Here, Node loads the modules, as it does for the
 * gateway itself: once per worker. The code has no state at module level that one test file could leave to the next one.
 */

const require = createRequire(import.meta.url);
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const loaded = new Map<string, number>();

/** Loads the modules of a test file. It has what the runner of jest and its test framework ask of a runtime. */
export default class NativeRuntime {
  /** The framework keeps its state at module level: each test file gets a copy of its own. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, HANDLERS);
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  /** Runs a test file or a file of its set-up; from the second time on, a query makes it a new module. */
  async unstable_importModule(path: string): Promise<unknown> {
    const times = loaded.get(path) ?? 0;
    loaded.set(path, times + 1);
    const url = pathToFileURL(path);
    if (times > 0) url.search = String(times);
    return import(url.href);
  }

  setGlobalsForRuntime(globals: object): void {
    Object.assign(globalThis, globals);
  }

  getSourceMaps(): ReadonlyMap<string, string> {
    return new Map();
  }

  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }

  // What follows is told to a runtime. This one has nothing to do then.
  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}
}
