import type { Registry } from 'prom-client';
import type { Compression } from '../store/cache/content-encodings.ts';
import { createCounter } from './counters.ts';

/** What is counted of bodies that are compressed. */
export type CompressionMetrics = { readonly compressed: (compression: Compression) => void };

/** Makes the metrics of compression. */
export function createCompressionMetrics(registry: Registry): CompressionMetrics {
  const count = (name: string, help: string, second: string) =>
    createCounter(registry, { name: `portico_${name}`, help, labelNames: ['coding', second] });
  const bodies = count(
    'compressions_total',
    'Bodies compressed: made, useless (no smaller than before) or failed.',
    'result',
  );
  const seconds = count(
    'compression_seconds_total',
    'Seconds that compression took on its thread.',
    'result',
  );
  const bytes = count(
    'compression_bytes_total',
    'Bytes of the bodies that compression made smaller, before and after.',
    'side',
  );
  return {
    compressed({ coding, result, bytesBefore, bytesAfter, seconds: took }) {
      bodies(coding, result).add();
      seconds(coding, result).add(took);
      if (result !== 'made') return;
      bytes(coding, 'before').add(bytesBefore);
      bytes(coding, 'after').add(bytesAfter);
    },
  };
}
