// `npm run build`: bundles every function and prints what each loads at start. Deployable ones go to dist/functions; those
// of a local run with the simulated provider to dist/simulated; programs for containers to dist/programs.
import { statSync } from 'node:fs';
import path from 'node:path';
import { auditFunction, deployedFunctions, forwarderProgram, windowedFunction } from '../functions.ts';
import { toLocalFunctions, toLocalSource } from '../local/functions.ts';
import { simulatedDeclarations } from '../local/provider/declarations.ts';
import { bundleFunctions, bundleProgram, type FunctionEntry, projectRoot } from './bundle.ts';

const sources = [auditFunction, windowedFunction];
const functions = [...deployedFunctions, ...sources];
const deployed = new Set(functions.map(({ entry }) => entry));
const local = [
  ...toLocalFunctions(simulatedDeclarations),
  ...sources.map(plan => toLocalSource(plan, simulatedDeclarations)),
];
const simulated = local.filter(({ entry }) => !deployed.has(entry));

async function buildInto(folder: string, entries: readonly FunctionEntry[]): Promise<void> {
  const bundles = await bundleFunctions(entries, path.join(projectRoot, folder));
  console.log(folder);
  for (const { name, startBytes } of bundles) {
    console.log(`  ${name.padEnd(28)} ${(startBytes / 1024).toFixed(0).padStart(5)} KiB at start`);
  }
}

await buildInto('dist/functions', functions);
await buildInto('dist/simulated', simulated);

const program = await bundleProgram(forwarderProgram, path.join(projectRoot, 'dist/programs'));
console.log('dist/programs');
console.log(`  ${path.basename(program).padEnd(28)} ${(statSync(program).size / 1024).toFixed(0).padStart(5)} KiB`);
