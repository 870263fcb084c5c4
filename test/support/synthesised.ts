// The template of a deployment, with queries for the resources of a queue or function.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import { Annotations, App, type AppProps, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { declarations as coreDeclarations } from '../../functions/declarations.ts';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { CapiServerlessStack } from '../../infra/aws/stack.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import {
  admissionFunction,
  auditFunction,
  conversionFunction,
  plumbingFunctions,
  rotationFunction,
  sharedFunction,
  toReconcilerFunctions,
  windowedFunction,
} from '../../infra/function-plans.ts';
import { simulatedDeclarations } from '../../local/provider/declarations.ts';
import { isFull } from './extent.ts';
import { spendingSync } from './spans.ts';

export interface CloudFormationResource {
  readonly Type: string;
  readonly Properties: JsonObject;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: unknown;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** More declarations than the product has, so that assertions are tested with several. */
export const declarations = [...coreDeclarations, ...simulatedDeclarations];
export const functions = [...toReconcilerFunctions(declarations, 'functions'), ...plumbingFunctions];

/** The settings with one trigger of each kind, with an EKS cluster, in a VPC. */
export const eksDeployment = {
  name: 'capi-eks',
  account: '123456789012',
  region: 'eu-central-1',
  apiServer: {
    kind: 'eks',
    cluster: 'mgmt',
    endpoint: 'https://0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com',
    certificateAuthority: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
    securityGroup: 'sg-0123456789abcdef0',
  },
  vpc: { id: 'vpc-0123456789abcdef0', subnets: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'] },
  sources: {
    forwarder: { kind: 'pod-identity', cluster: 'mgmt' },
    windowed: true,
    auditWebhook: { concurrency: 3 },
    auditLogOf: 'mgmt',
  },
} as const;

/** Creates folders with a placeholder for every function's bundle. Call `remove` afterwards. */
export function makeBundles() {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-stack-'));
  const bundles = [
    ...functions,
    sharedFunction,
    auditFunction,
    admissionFunction,
    conversionFunction,
    rotationFunction,
    windowedFunction,
  ].map(({ name }) => {
    mkdirSync(path.join(folder, name));
    const file = path.join(folder, name, 'handler.mjs');
    writeFileSync(file, `export const handler = () => '${name}';\n`);
    return { name, file };
  });
  return { folder, bundles, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * The validation of templates by the CDK takes a third of a synthesis. Without the full extent, only the tests of the
 * rule checks have it. No test reads the tree.
 */
export const quickApp = { builtinCloudFormationValidation: isFull, treeMetadata: false };

/** Returns an app like that of `npm run synth`, with its output below `folder`. */
export function makeApp(folder: string, props: AppProps = {}): App {
  const { context } = JSON.parse(readFileSync(path.join(projectRoot, 'cdk.json'), 'utf8'));
  return new App({ context, outdir: mkdtempSync(path.join(folder, 'out-')), ...props });
}

/** The names of all reconcilers. */
export const everyGate = 'ClusterTopology=true,RuntimeSDK=true';

type StackProps = ConstructorParameters<typeof CapiServerlessStack>[1];

/** Returns the template of this deployment. By default it runs every reconciler. */
export function synthesise(
  given: JsonObject,
  { folder, bundles }: Pick<ReturnType<typeof makeBundles>, 'folder' | 'bundles'>,
  parts: Pick<StackProps, 'declarations' | 'functions'> = { declarations, functions },
) {
  const [deployment] = parseDeployments([
    { ...given, settings: { featureGates: everyGate, ...toRecord(given['settings']) } },
  ]);
  if (deployment === undefined) {
    throw new Error('No deployment');
  }
  return spendingSync('templates', () => {
    const stack = new CapiServerlessStack(makeApp(folder, quickApp), { deployment, ...parts, bundles });
    // Reports of these warnings would be in the output of each test.
    for (const id of ['no-topic', 'no-event-source', 'reserved-concurrency']) {
      Annotations.of(stack).acknowledgeWarning(`capi-serverless:${id}`, 'The deployment of a test');
    }
    const template = Template.fromStack(stack);
    const isProtected = stack.terminationProtection === true;
    return new Synthesised(deployment.name, template, { assets: Stage.of(stack)?.assetOutdir, isProtected });
  });
}

export class Synthesised {
  readonly deployment: string;
  readonly resources: Readonly<Record<string, CloudFormationResource>>;
  readonly outputs: Readonly<Record<string, JsonObject>>;

  /** Whether CloudFormation refuses to delete the stack. */
  readonly isProtected: boolean;

  readonly #assets: string;

  /** `assets` is the folder with the staged files. */
  constructor(
    deployment: string,
    template: Template,
    { assets = '', isProtected = false }: { readonly assets?: string | undefined; readonly isProtected?: boolean } = {},
  ) {
    this.deployment = deployment;
    this.#assets = assets;
    this.isProtected = isProtected;
    this.resources = template.toJSON()['Resources'];
    this.outputs = template.toJSON()['Outputs'] ?? {};
  }

  /** Returns the texts of all staged files with this name. */
  assets(file: string): readonly string[] {
    return readdirSync(this.#assets)
      .filter(folder => folder.startsWith('asset.') && existsSync(path.join(this.#assets, folder, file)))
      .map(folder => readFileSync(path.join(this.#assets, folder, file), 'utf8'));
  }

  all(type: string): readonly CloudFormationResource[] {
    return Object.values(this.resources).filter(({ Type }) => Type === type);
  }

  /** Returns the id in the template of the queue or function with this name. */
  idOf(name: string): string {
    const physical = `${this.deployment}-${name}`;
    const found = Object.entries(this.resources).find(
      ([, { Properties }]) => Properties?.['QueueName'] === physical || Properties?.['FunctionName'] === physical,
    );
    if (found === undefined) {
      throw new Error(`The template has nothing for ${name}`);
    }
    return found[0];
  }

  resourceOf(name: string): CloudFormationResource {
    const resource = this.resources[this.idOf(name)];
    if (resource === undefined) {
      throw new Error(`The template has nothing for ${name}`);
    }
    return resource;
  }

  arnOf(name: string): JsonObject {
    return { 'Fn::GetAtt': [this.idOf(name), 'Arn'] };
  }

  /** Returns the reference to the alias that the triggers of this function invoke. */
  liveOf(functionName: string): { readonly Ref: string } {
    const ofFunction = JSON.stringify({ Ref: this.idOf(functionName) });
    const found = Object.entries(this.resources).find(
      ([, { Type, Properties }]) =>
        Type === 'AWS::Lambda::Alias' && JSON.stringify(Properties['FunctionName']) === ofFunction,
    );
    if (found === undefined) {
      throw new Error(`The template has no alias of ${functionName}`);
    }
    return { Ref: found[0] };
  }

  /** Returns the name of this alias, as event source mappings have it. */
  liveNameOf(functionName: string): JsonObject {
    const name = { 'Fn::Select': [6, { 'Fn::Split': [':', this.liveOf(functionName)] }] };
    return { 'Fn::Join': ['', [name, ':live']] };
  }

  /** Returns the event source mappings that invoke this function. */
  mappingsOf(functionName: string): readonly CloudFormationResource[] {
    const name = JSON.stringify(this.liveNameOf(functionName));
    return this.all('AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => JSON.stringify(Properties['FunctionName']) === name,
    );
  }

  /** Returns the id in the template of the function's role. */
  roleOf(functionName: string): string {
    const { Role } = this.resourceOf(functionName).Properties as {
      readonly Role: { readonly 'Fn::GetAtt': readonly [string, string] };
    }; // true: references to roles are ARNs
    return Role['Fn::GetAtt'][0];
  }

  /** Returns the ids in the template of the policies of the function's role. */
  policiesOf(functionName: string): readonly string[] {
    const attached = JSON.stringify([{ Ref: this.roleOf(functionName) }]);
    return Object.entries(this.resources)
      .filter(
        ([, { Type, Properties }]) => Type === 'AWS::IAM::Policy' && JSON.stringify(Properties['Roles']) === attached,
      )
      .map(([id]) => id);
  }

  /** Returns the statements of the function's role. */
  statementsOf(functionName: string): readonly Statement[] {
    return this.policiesOf(functionName)
      .flatMap(id => this.resources[id] ?? [])
      .flatMap(toStatements);
  }

  /** Returns the resources for which the function has this permission. */
  mayDo(functionName: string, action: string): readonly unknown[] {
    return this.statementsOf(functionName)
      .filter(({ Effect, Action }) => Effect === 'Allow' && list(Action).includes(action))
      .flatMap(({ Resource }) => list(Resource));
  }

  variablesOf(functionName: string): JsonObject {
    const { Variables } = this.resourceOf(functionName).Properties['Environment'] as { readonly Variables: JsonObject }; // True: the type of its input.
    return Variables;
  }
}

export function toStatements({ Properties }: CloudFormationResource): readonly Statement[] {
  return (Properties['PolicyDocument'] as { readonly Statement: readonly Statement[] }).Statement; // true: by the type of the resource
}

/** IAM accepts a single value or a list. */
export function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T]; // true: a value that is not a list is a single value
}
