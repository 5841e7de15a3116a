import { dirname, join } from 'node:path';
import type { ConfigTexts } from '../../config/load.ts';
import { contentDigest } from '../../pipeline/parts/content-digest.ts';
import type { ConfigWatchDeps } from '../../reload/watch-config.ts';
import { readTexts } from '../input/read-config.ts';

/** What is watched of a configuration: its folders, and the files of its references. `known` gives the latest texts. */
export function watchedFiles(
  configFile: string,
  known: () => ConfigTexts,
): Pick<ConfigWatchDeps, 'folders' | 'fingerprint' | 'fingerprintInForce'> {
  return {
    folders() {
      const home = dirname(configFile);
      return [home, join(home, 'sources'), ...Object.keys(known().references).map((path) => dirname(path))];
    },
    fingerprintInForce: () => contentDigest(known()),
    fingerprint() {
      try {
        return contentDigest(readTexts(configFile, known()));
      } catch {
        // A folder that is being swapped; the next look finds it.
        return undefined;
      }
    },
  };
}
