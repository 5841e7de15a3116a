/** A thing that a test has started, or a list of them: it has one of these, and is ended by the first that it has. */
type Ending = Partial<Record<'close' | 'stop' | 'remove' | 'disconnect' | 'kill', () => unknown>>;

/** How to end what was started for the running test, and for the file or group of tests, in the order of the starts. */
const ofTest: (() => unknown)[] = [];
const ofTests: (() => unknown)[] = [];

function end(thing: object): unknown {
  if (Array.isArray(thing)) return Promise.all(thing.map(end));
  const { close, stop, remove, disconnect, kill }: Ending = thing;
  return (close ?? stop ?? remove ?? disconnect ?? kill)?.call(thing);
}

/** Stands for a thing that hooks start later: whatever is read from it is read from the thing that was started last. */
function standIn<T extends object>(latest: () => T): T {
  return new Proxy({} as T, {
    get(_, key) {
      const thing = latest();
      const value: unknown = Reflect.get(thing, key, thing);
      return typeof value === 'function' ? value.bind(thing) : value;
    },
    set: (_, key, value) => Reflect.set(latest(), key, value),
    has: (_, key) => Reflect.has(latest(), key),
    ownKeys: () => Reflect.ownKeys(latest()),
    getOwnPropertyDescriptor: (_, key) => ({
      ...Reflect.getOwnPropertyDescriptor(latest(), key),
      configurable: true,
    }),
  });
}

function startBy<T extends object>(
  hook: typeof beforeAll,
  ends: (() => unknown)[],
  start: () => T | Promise<T>,
  close: (thing: T) => unknown,
): T {
  let started: T | undefined;
  hook(async () => {
    const thing = await start();
    started = thing;
    ends.push(() => close(thing));
  });
  return standIn(() => {
    if (started === undefined) throw new Error('it is started by a hook: use it within tests and hooks');
    return started;
  });
}

/** Starts something before the tests of a file or group, and ends it behind them. What was started last ends first. */
export function startForAll<T extends object>(
  start: () => T | Promise<T>,
  close: (thing: T) => unknown = end,
): T {
  afterAll(() => ofTests.pop()?.());
  return startBy(beforeAll, ofTests, start, close);
}

/** Starts something before each test of a file or group, and ends it behind the test. What was started last ends first. */
export function startForEach<T extends object>(
  start: () => T | Promise<T>,
  close: (thing: T) => unknown = end,
): T {
  return startBy(beforeEach, ofTest, start, close);
}

/** Ends something behind the running test, also if the test fails. What was started last ends first. */
export function endAfterTest<T extends object>(thing: T, close: (thing: T) => unknown = end): T {
  ofTest.push(() => close(thing));
  return thing;
}

/** Ends what was started for the test that has just run. Every test file has it as a hook. */
export async function endOfTest(): Promise<void> {
  for (let close = ofTest.pop(); close !== undefined; close = ofTest.pop()) await close();
}
