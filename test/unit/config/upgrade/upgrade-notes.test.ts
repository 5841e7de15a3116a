import { upgradeNotes } from '../../../../src/config/upgrade/upgrade-notes.ts';
import type { VersionChange } from '../../../../src/config/upgrade/version-changes.ts';
import { parseYamlFile } from '../../../../src/config/yaml/yaml-file.ts';

const TEXT = `portico: 1
resources:
  users: { source: crm, cache: { fresh: 10s } }
  products:
    source: catalog
    old: 1
passthrough:
  - { name: orders, old: 2 }
  - { name: bills }
`;

const deprecated = (version: string, ...at: string[]): VersionChange => {
  return { version, in: 'gateway', at, kind: { deprecatedUntil: '3.0.0' }, mend: 'write new: 1' };
};

/** The notes of a text for some changes: where they stand, and what they say. */
function notesOf(changes: readonly VersionChange[], from = '0.0.0', of: VersionChange['in'] = 'gateway') {
  const notes = upgradeNotes(parseYamlFile('portico.yaml', TEXT, undefined, []), of, changes, from);
  return notes.map(({ line, path, message, hint }) => `${line ?? 0} ${path}: ${message} | ${hint ?? ''}`);
}

describe('what a version changes for a configuration', () => {
  test('names a deprecated key wherever it stands, with its line and what to write', () => {
    expect(notesOf([deprecated('1.2.0', 'resources', '*', 'old')])).toEqual([
      '6 resources.products.old: deprecated since 1.2.0; 3.0.0 will refuse it | write new: 1',
    ]);
    expect(notesOf([deprecated('1.2.0', 'passthrough', '*', 'old')])).toEqual([
      expect.stringMatching(/^8 passthrough\.0\.old: /),
    ]);
  });

  test('is told of a default that is new wherever the key is not set, in what stands there', () => {
    const changes: readonly VersionChange[] = [
      {
        ...{ version: '1.1.0', in: 'gateway', at: ['resources', '*', 'cache', 'fresh'] },
        ...{ kind: { newDefault: '5s' }, mend: 'to keep it: fresh: 10s' },
      },
      {
        ...{ version: '1.1.0', in: 'gateway', at: ['resources', '*', 'cache', 'notFound'] },
        ...{ kind: { newDefault: '1s' }, mend: 'to keep it: notFound: 2s' },
      },
    ];
    expect(notesOf(changes)).toEqual([
      '3 resources.users.cache.notFound: not set, and since 1.1.0 that means 1s | to keep it: notFound: 2s',
    ]);
  });

  test('is nothing where the version is not later than the one that runs, or the change is of another kind of file', () => {
    const change = deprecated('1.10.0', 'resources', '*', 'old');
    expect(notesOf([change], '1.9.0')).toHaveLength(1);
    expect(notesOf([change], '1.10.0')).toEqual([]);
    expect(notesOf([change], '2.0.0')).toEqual([]);
    expect(notesOf([change], '0.0.0', 'source')).toEqual([]);
  });
});
