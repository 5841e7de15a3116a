/** The clock by which the gateway of this process remembers what it has looked at. */
const real = performance.now.bind(performance);
let ahead = 0;

/** Lets minutes pass at once for everything that is remembered for a while. */
export function passMinutes(minutes: number): void {
  ahead += minutes * 60_000;
  performance.now = () => real() + ahead;
}
