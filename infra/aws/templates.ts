// The templates of deployments, without the bundles of their functions: for what can be counted in a template.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Annotations, App } from 'aws-cdk-lib';
import { declarations } from '../../functions/declarations.ts';
import { allFunctions, deployedFunctions as functions } from '../function-plans.ts';
import type { Deployment } from './deployment-schema.ts';
import { CapiServerlessStack } from './stack.ts';

/** Returns the template of each deployment by its name. */
export function toTemplates(deployments: readonly Deployment[]): ReadonlyMap<string, unknown> {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-templates-'));
  try {
    const bundles = allFunctions.map(({ name }) => {
      const file = path.join(folder, 'bundles', name, 'handler.mjs');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '');
      return { name, file };
    });
    const app = new App({
      outdir: path.join(folder, 'out'),
      builtinCloudFormationValidation: false,
      treeMetadata: false,
    });
    for (const deployment of deployments) {
      const stack = new CapiServerlessStack(app, { deployment, declarations, functions, bundles });
      // Warnings belong to a synthesis that is deployed.
      for (const id of ['no-topic', 'no-event-source']) {
        Annotations.of(stack).acknowledgeWarning(`capi-serverless:${id}`, 'Only the template is read');
      }
    }
    return new Map(app.synth().stacks.map(({ stackName, template }) => [stackName, template]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
