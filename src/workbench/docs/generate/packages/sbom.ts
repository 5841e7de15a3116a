import { createHash } from 'node:crypto';
import { type ProductionPackage, productionPackages } from './production-packages.ts';

/** The address of a package as every scanner writes it. */
const purlOf = ({ name, version }: ProductionPackage) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const refOf = ({ name, version }: ProductionPackage) => `${name}@${version}`;

/** A licence that SPDX knows by an id, or an expression of several. */
function licencesOf({ licence }: ProductionPackage) {
  if (licence === '') return {};
  return { licenses: [/[ (]/.test(licence) ? { expression: licence } : { license: { id: licence } }] };
}

function hashesOf({ integrity }: ProductionPackage) {
  const [, algorithm = '', digest = ''] = /^sha(512|384|256|1)-(\S+)$/.exec(integrity) ?? [];
  if (digest === '') return {};
  return { hashes: [{ alg: `SHA-${algorithm}`, content: Buffer.from(digest, 'base64').toString('hex') }] };
}

function componentOf(one: ProductionPackage, type: 'application' | 'library') {
  const from =
    one.resolved === '' ? {} : { externalReferences: [{ type: 'distribution', url: one.resolved }] };
  return {
    ...{ type, 'bom-ref': refOf(one), name: one.name, version: one.version, purl: purlOf(one) },
    ...{ ...hashesOf(one), ...licencesOf(one), ...from },
  };
}

/** A serial number that is the same for the same packages, in the form of a UUID. */
function serialNumber(refs: readonly string[]): string {
  const hex = createHash('sha256').update(refs.join('\n')).digest('hex');
  const variant = ((parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

/** The software bill of materials of Portico in CycloneDX 1.6: every package that it runs on, none that builds or tests it. */
export function softwareBillOfMaterials(): unknown {
  const { root, packages } = productionPackages();
  const all = [root, ...packages];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(all.map(refOf)),
    version: 1,
    metadata: { component: componentOf(root, 'application') },
    components: packages.map((one) => componentOf(one, 'library')),
    dependencies: all.map((one) => ({ ref: refOf(one), dependsOn: [...new Set(one.needs)].sort() })),
  };
}
