// The CDK app: `npm run synth`. Bundles the functions first; the stack packs exactly those files.
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { declarations } from '../../functions/declarations.ts';
import { bundleFunctions, projectRoot } from '../bundles/bundle.ts';
import { deployedFunctions as functions } from '../functions.ts';
import { CapiServerlessStack } from './stack.ts';

const bundles = await bundleFunctions(functions, path.join(projectRoot, 'dist/functions'));

const app = new App();
new CapiServerlessStack(app, 'CapiServerless', { declarations, functions, bundles });
app.synth();
