// Sends one round of load, as the JSON in its first argument says, and prints what came of it as JSON.
import autocannon from 'autocannon';

const { url, key, connections, seconds, rate, distinctFrom } = JSON.parse(process.argv[2]);
let page = distinctFrom ?? 0;
const { pathname, search } = new URL(url);
const ask =
  distinctFrom === undefined
    ? {}
    : {
        // Every request asks for a page that nobody has asked for before.
        setupRequest(request) {
          page += 1;
          return { ...request, path: `${pathname}${search === '' ? '?' : `${search}&`}page=${page}` };
        },
      };

const times = [];
const run = autocannon({
  url,
  connections,
  duration: seconds,
  headers: { authorization: `Bearer ${key}` },
  ...(rate === undefined ? {} : { overallRate: rate }),
  requests: [{ method: 'GET', ...ask }],
});
// The library's own histogram counts whole milliseconds, which is more than most answers take.
run.on('response', (_client, _status, _bytes, milliseconds) => times.push(milliseconds));
const result = await run;
times.sort((a, b) => a - b);
const percentile = (share) => times[Math.floor((times.length - 1) * share)] ?? null;
console.log(
  JSON.stringify({
    rate: result['2xx'] / result.duration,
    answers: result['2xx'],
    failed: result.non2xx + result.errors + result.timeouts,
    p50: percentile(0.5),
    p99: percentile(0.99),
    lastPage: page,
  }),
);
