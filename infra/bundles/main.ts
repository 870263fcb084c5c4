// `npm run build`: bundles every function and prints the size of its static code. Deployable functions are written to
// dist/functions. Functions of a local run with the simulated provider are written to dist/simulated. Programs for
// containers are written to dist/programs.
import { statSync } from 'node:fs';
import path from 'node:path';
import { toLocalFunctions, toLocalSource } from '../../local/local-functions.ts';
import { localDeclarations } from '../../local/provider/declarations.ts';
import { allFunctions, auditFunction, forwarderProgram, windowedFunction } from '../function-plans.ts';
import { bundleFunctions, bundleProgram, type FunctionEntry, projectRoot } from './bundle.ts';

const sources = [auditFunction, windowedFunction];
const deployed = new Set(allFunctions.map(({ entry }) => entry));
const local = [...toLocalFunctions(localDeclarations), ...sources.map(plan => toLocalSource(plan, localDeclarations))];
const simulated = local.filter(({ entry }) => !deployed.has(entry));

async function buildInto(folder: string, entries: readonly FunctionEntry[]): Promise<void> {
  const bundles = await bundleFunctions(entries, path.join(projectRoot, folder));
  console.log(folder);
  for (const { name, startBytes } of bundles) {
    console.log(`  ${name.padEnd(28)} ${(startBytes / 1024).toFixed(0).padStart(5)} KiB at start`);
  }
}

await buildInto('dist/functions', allFunctions);
await buildInto('dist/simulated', simulated);

const { file: program } = await bundleProgram(forwarderProgram, path.join(projectRoot, 'dist/programs'));
console.log('dist/programs');
console.log(`  ${path.basename(program).padEnd(28)} ${(statSync(program).size / 1024).toFixed(0).padStart(5)} KiB`);
