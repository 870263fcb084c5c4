// The CDK app: `npm run synth`. Bundles the functions first; the stack packs exactly those files.
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { declarations } from '../../functions/declarations.ts';
import { isQueueDesign, queueDesigns } from '../../shared/workqueue/queue-design.ts';
import { bundleFunctions, projectRoot } from '../bundles/bundle.ts';
import { deployedFunctions as functions } from '../functions.ts';
import { CapiServerlessStack } from './stack.ts';

const bundles = await bundleFunctions(functions, path.join(projectRoot, 'dist/functions'));

const app = new App();
const queueDesign: unknown = app.node.tryGetContext('queueDesign') ?? 'default';
if (!isQueueDesign(queueDesign)) {
  throw new Error(`Context queueDesign must be ${queueDesigns.join(' or ')}, got ${JSON.stringify(queueDesign)}`);
}
new CapiServerlessStack(app, 'CapiServerless', { declarations, functions, bundles, queueDesign });
app.synth();
