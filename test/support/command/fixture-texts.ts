import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything in the fixtures of a source beside a gateway file, with the bodies that are written as bytes. */
export function fixtureTexts(gatewayFile: string, source: string): string {
  const folder = gatewayFile.replace('portico.yaml', `fixtures/${source}`);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const bytes = texts.flatMap((text) =>
    [...text.matchAll(/base64: (\S+)/g)].map(([, base64 = '']) =>
      Buffer.from(base64, 'base64').toString('latin1'),
    ),
  );
  return [...texts, ...bytes].join('\n');
}
