/**
 * Writes the declaration of the package, `index.d.ts`, from `src/library.ts` alone: the types of the package are all there, so
 * nothing has to be rolled up. Imports that only the code needs are left out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const LIBRARY = 'src/library.ts';
const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;

const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(LIBRARY, 'utf8'), {
  fileName: LIBRARY,
  reportDiagnostics: true,
  compilerOptions: { isolatedDeclarations: true, declaration: true, module: ts.ModuleKind.NodeNext },
});
if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost({})));
writeFileSync(join(outdir, 'index.d.ts'), outputText);
