// The CDK app: `npm run synth`. Bundles the functions first, because the stacks deploy these files. Needs no network:
// the deployments (context `deployments`) contain the facts about an account.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { declarations } from '../../functions/declarations.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { currentBundles } from '../bundles/current.ts';
import { allFunctions, deployedFunctions as functions } from '../function-plans.ts';
import { DeploymentError, readDeployments } from './deployment.ts';
import { toRights } from './deployment-rights.ts';
import { CapiServerlessStack } from './stack.ts';

async function synthesise(): Promise<void> {
  const app = new App();
  const deployments = readDeployments(app.node.tryGetContext('deployments'));
  const bundles = await currentBundles(allFunctions);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  for (const deployment of deployments) {
    new CapiServerlessStack(app, { deployment, declarations, functions, bundles });
  }
  app.synth();
  const folder = path.join(projectRoot, 'dist/rbac');
  mkdirSync(folder, { recursive: true });
  for (const [name, manifests] of toRights(deployments, declarations)) {
    writeFileSync(path.join(folder, `${name}.yaml`), manifests);
  }
}

await synthesise().catch(error => {
  if (!(error instanceof DeploymentError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
});
