// The CDK app: `npm run synth`. Bundles the functions first; the stack packs exactly those files.
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { declarations } from '../../functions/declarations.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { isQueueDesign, queueDesigns } from '../../shared/workqueue/queue-design.ts';
import { bundleFunctions, projectRoot } from '../bundles/bundle.ts';
import { deployedFunctions as functions } from '../functions.ts';
import { CapiServerlessStack } from './stack.ts';

/** Set where this runs, they are handed on to every function; a wrong value ends here rather than there. */
const handedOn = [
  'CAPI_WATCH_FILTER',
  'CAPI_FEATURE_GATES',
  'CAPI_REMOTE_PROBE',
  'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
  'CAPI_LOG_LEVEL',
];
const { concurrency } = parseConfig(process.env);
const settings = Object.fromEntries(
  handedOn.flatMap(name => (process.env[name] ? [[name, process.env[name]] as const] : [])),
);

const bundles = await bundleFunctions(functions, path.join(projectRoot, 'dist/functions'));

const app = new App();
const queueDesign: unknown = app.node.tryGetContext('queueDesign') ?? 'default';
if (!isQueueDesign(queueDesign)) {
  throw new Error(`Context queueDesign must be ${queueDesigns.join(' or ')}, got ${JSON.stringify(queueDesign)}`);
}
new CapiServerlessStack(app, 'CapiServerless', {
  declarations,
  functions,
  bundles,
  queueDesign,
  concurrency,
  settings,
});
app.synth();
