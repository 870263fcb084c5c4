// The deployed package of each function: folder, handler and environment. They are read only from the synthesized
// assembly.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { declarations } from '../../functions/declarations.ts';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { CapiServerlessStack } from '../../infra/aws/stack.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import { allFunctions, deployedFunctions } from '../../infra/function-plans.ts';
import { type Made, type Place, resolveIntrinsics } from './intrinsics.ts';
import { spending } from './spans.ts';
import { type CloudFormationResource, makeApp, Synthesised } from './synthesised.ts';

export interface PackagedFunction {
  /** The name without the name of the deployment. */
  readonly name: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  /** Intrinsic functions are resolved with the values in `made`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Copies the packed files outside the checkout, so that only packed files can be imported. */
  readonly taskRoot: string;
}

export interface Packaged {
  readonly stack: Synthesised;
  /** `queueEndpoint` replaces that of SQS in the URLs of queues. */
  functions(made: Made, place: Place, queueEndpoint: string): readonly PackagedFunction[];
}

/** Bundles the functions, synthesizes this deployment below `folder` like `npm run synth`, and unpacks its assets there. */
export async function packageDeployment(given: object, folder: string): Promise<Packaged> {
  const [deployment] = parseDeployments([given]);
  if (deployment === undefined) {
    throw new Error('No deployment');
  }
  const bundles = await spending('bundling', () => currentBundles(allFunctions));
  const app = makeApp(folder);
  new CapiServerlessStack(app, { deployment, declarations, functions: deployedFunctions, bundles });
  const { directory } = app.synth();
  const read = (kind: string) =>
    JSON.parse(readFileSync(path.join(directory, `${deployment.name}.${kind}.json`), 'utf8'));
  const stack = new Synthesised(deployment.name, Template.fromJSON(read('template')));
  const assets: Assets = read('assets');
  return {
    stack,
    functions: (made, place, queueEndpoint) =>
      stack.all('AWS::Lambda::Function').map(resource => {
        const properties = propertiesOf(resource);
        const taskRoot = mkdtempSync(path.join(folder, 'task-'));
        cpSync(path.join(directory, assetOf(properties.FunctionName, properties.Code, assets)), taskRoot, {
          recursive: true,
        });
        // Lambda accepts only strings.
        const variables = resolveIntrinsics(properties.Environment.Variables, made, place) as Record<string, string>;
        return {
          name: properties.FunctionName.slice(deployment.name.length + 1),
          handler: properties.Handler,
          timeoutSeconds: properties.Timeout,
          memoryMiB: properties.MemorySize,
          environment: withLayer(
            atEndpoint(variables, queueEndpoint),
            layerOf(properties, stack).map(layer =>
              path.join(directory, assetOf(properties.FunctionName, layer, assets)),
            ),
          ),
          taskRoot,
        };
      }),
  };
}

function atEndpoint(
  { CAPI_QUEUE_URLS: urls = '', ...others }: Readonly<Record<string, string>>,
  endpoint: string,
): Readonly<Record<string, string>> {
  return { ...others, CAPI_QUEUE_URLS: urls.replace(/^https:\/\/[^/]+/, endpoint) };
}

/** Returns the content of the function's layers. */
function layerOf({ Layers = [] }: FunctionProperties, { resources }: Synthesised): readonly AssetReference[] {
  // True: layers of the stack are versions with an asset.
  return Layers.map(({ Ref }) => resources[Ref]?.Properties['Content'] as unknown as AssetReference);
}

/** Lambda extracts layers into /opt. */
function withLayer(
  environment: Readonly<Record<string, string>>,
  [layer]: readonly string[],
): Readonly<Record<string, string>> {
  return layer === undefined
    ? environment
    : Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace(/^\/opt/, layer)]));
}

interface Assets {
  readonly files: Readonly<Record<string, { readonly source: { readonly path: string; readonly packaging: string } }>>;
}

interface FunctionProperties {
  readonly FunctionName: string;
  readonly Handler: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly Environment: { readonly Variables: unknown };
  readonly Code: AssetReference;
  readonly Layers?: readonly { readonly Ref: string }[];
}

interface AssetReference {
  readonly S3Key: string;
}

function propertiesOf(resource: CloudFormationResource): FunctionProperties {
  return resource.Properties as unknown as FunctionProperties; // true: the stack creates functions of this form
}

/** Returns the folder in the assembly whose content is zipped and uploaded for this function or its layer. */
function assetOf(functionName: string, { S3Key }: AssetReference, { files }: Assets): string {
  const source = files[S3Key.replace(/\.zip$/, '')]?.source;
  if (source?.packaging !== 'zip') {
    throw new Error(`Function ${functionName} is made of ${S3Key}, which is not a packed folder of the assembly`);
  }
  return source.path;
}
