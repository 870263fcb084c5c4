// `npm run build`: bundles every function into dist/functions and prints what each loads at start.
import path from 'node:path';
import { declarations } from '../../functions/declarations.ts';
import { plumbingFunctions, toReconcilerFunctions } from '../functions.ts';
import { simulatedDeclarations } from '../local/provider/declarations.ts';
import { bundleFunctions, projectRoot } from './bundle.ts';

const bundles = await bundleFunctions(
  [
    ...toReconcilerFunctions(declarations, 'functions'),
    ...toReconcilerFunctions(simulatedDeclarations, 'infra/local/provider'),
    ...plumbingFunctions,
  ],
  path.join(projectRoot, 'dist/functions'),
);
for (const { name, startBytes } of bundles) {
  console.log(`${name.padEnd(28)} ${(startBytes / 1024).toFixed(0).padStart(5)} KiB at start`);
}
