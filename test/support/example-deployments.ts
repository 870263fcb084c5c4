// The templates of example deployments, with the product's own declarations, as files.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { declarations } from '../../functions/declarations.ts';
import { parseDeployments, readDeployments } from '../../infra/aws/deployment.ts';
import type { Deployment } from '../../infra/aws/deployment-schema.ts';
import { CapiServerlessStack } from '../../infra/aws/stack.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { deployedFunctions } from '../../infra/function-plans.ts';
import { spendingSync } from './spans.ts';
import { eksDeployment, everyGate, makeApp, type makeBundles } from './synthesised.ts';

const { account: _account, region: _region, ...eksAnywhere } = eksDeployment;
const secretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:client-AbCdEf';

/** Together, they have each kind of resource, trigger and identity that a stack can have. No region is fixed. */
const furtherDeployments = [
  {
    ...eksAnywhere,
    name: 'capi-everything',
    settings: { featureGates: everyGate, extensionServices: 'dns', extensionClientCertificateSecret: secretArn },
    monitoring: { alarms: 'all', metrics: 'all', tracing: true, topic: 'arn:aws:sns:eu-central-1:123456789012:alarms' },
  },
  {
    name: 'capi-tokens',
    managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d',
    sources: {
      forwarder: { kind: 'irsa', oidcProvider: 'arn:aws:iam::123456789012:oidc-provider/oidc.example.com/id/mgmt' },
      auditWebhook: { rotateTokenDays: 0 },
    },
    settings: { featureGates: everyGate },
  },
];

/** The deployments below examples/deployments, and further ones. */
export function exampleDeployments(): readonly Deployment[] {
  const folder = path.join(projectRoot, 'examples/deployments');
  const examples = readdirSync(folder).flatMap(file => readDeployments(path.join(folder, file)));
  return [...examples, ...parseDeployments(furtherDeployments)];
}

/** Writes the template of each deployment below `folder`. Returns the paths by the deployment's name. */
export function writeTemplates(
  deployments: readonly Deployment[],
  { folder, bundles }: Pick<ReturnType<typeof makeBundles>, 'folder' | 'bundles'>,
): ReadonlyMap<string, string> {
  return spendingSync('templates', () => {
    const app = makeApp(folder);
    for (const deployment of deployments) {
      new CapiServerlessStack(app, { deployment, declarations, functions: deployedFunctions, bundles });
    }
    return new Map(app.synth().stacks.map(({ stackName, templateFullPath }) => [stackName, templateFullPath]));
  });
}
