// The parts of a deployment that do not depend on its settings: reconcilers, functions and their bundles.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../../functions/declarations.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { allFunctions, deployedFunctions, type FunctionPlan } from '../function-plans.ts';
import { DeploymentError } from './deployment.ts';

export interface DeployedParts {
  readonly declarations: readonly Declaration[];
  /** The functions behind queues. Those of event sources are added. */
  readonly functions: readonly FunctionPlan[];
  readonly bundles: readonly Pick<Bundle, 'name' | 'file'>[];
}

/** The parts that the npm package contains. Throws DeploymentError in a checkout without a built package. */
export function packagedParts(): DeployedParts {
  const root = path.dirname(createRequire(import.meta.url).resolve('capi-serverless/package.json'));
  const folder = path.join(root, packagedFunctions);
  if (!existsSync(folder)) {
    throw new DeploymentError(`${folder} does not exist; build the package with "npm run package"`);
  }
  const bundles = allFunctions.map(({ name }) => ({ name, file: path.join(folder, name, 'handler.mjs') }));
  return { declarations, functions: deployedFunctions, bundles };
}

/** One folder for each function, below the root of the package. */
export const packagedFunctions = 'dist/package/functions';
