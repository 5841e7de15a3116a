// Says for reloads which files a gateway watches, and when they differ from the configuration in force.

import { dirname, join } from 'node:path';
import { allFiles, type ConfigTexts } from '../../config/load.ts';
import { contentDigest } from '../../kernel/secret.ts';
import { readTexts } from '../input/config-files.ts';
import { isRegularFile, readRegularFile } from '../input/regular-file.ts';

/**
 * Files that the texts name, but the configuration in force does not. A reload may have been refused because such a file
 * was missing or unusable. Comments may name files, too, so a missing file does not count.
 */
function newReferences({ files, references }: ConfigTexts): ConfigTexts['references'] {
  const named = allFiles(files).flatMap(({ text }) =>
    [...text.matchAll(/\$\{file:([^}]+)\}/g)].map(([, path = '']) => path),
  );
  const found = named.filter((path) => !Object.hasOwn(references, path) && isRegularFile(path));
  return Object.fromEntries(found.map((path) => [path, readRegularFile(path)]));
}

/** The folders and files of a configuration that are watched. `known` returns the texts in force. */
export function watchedFiles(configFile: string, known: () => ConfigTexts) {
  return {
    folders() {
      const home = dirname(configFile);
      const { files, references } = known();
      const named = [...Object.keys(references), ...allFiles(files).map(({ file }) => file)];
      return [home, join(home, 'sources'), ...named.map((path) => dirname(path))];
    },
    fingerprintInForce: () => contentDigest(known()),
    fingerprint() {
      try {
        const texts = readTexts(configFile, known());
        return contentDigest({ ...texts, references: { ...texts.references, ...newReferences(texts) } });
      } catch {
        // A folder is being exchanged at this moment. The next comparison finds its files.
        return undefined;
      }
    },
  };
}
