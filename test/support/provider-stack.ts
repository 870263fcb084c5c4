// A provider with one reconciler per contract generation, deployed in its author's stack.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineClusterActuator, defineInfrastructureProvider } from '@capi-serverless/provider-sdk';
import { App, type AppProps, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Provider, type ProviderProps } from '../../infra/aws/provider.ts';
import { eksDeployment, quickApp, Synthesised } from './synthesised.ts';

const rackCluster = defineInfrastructureProvider({
  group: 'infrastructure.example.com',
  version: 'v1beta2',
  kind: 'RackCluster',
  contract: 'v1beta2',
  endpoint: 'fromCluster',
  timeoutSeconds: 45,
  reconcileNormal: async () => ({ ready: true }),
  reconcileDelete: async () => ({ done: true }),
});
const oldCluster = defineClusterActuator({
  group: 'cluster.k8s.io',
  version: 'v1alpha1',
  name: 'old-cluster',
  reconcile: async () => undefined,
  delete: async () => undefined,
});

/** One reconciler of each generation. */
export const reconcilers = [rackCluster, oldCluster] as const;
export const declarations = reconcilers.map(({ declaration }) => declaration);

export const serving = [
  { name: 'rack-cluster', queue: 'work-rack-cluster.fifo', targets: ['work-rack-cluster.fifo', 'delay'] },
  { name: 'old-cluster', queue: 'work-old-cluster.fifo', targets: ['work-old-cluster.fifo', 'delay'] },
  { name: 'timer', queue: 'delay', targets: ['work-rack-cluster.fifo', 'work-old-cluster.fifo', 'delay'] },
  { name: 'resync', queue: 'expand', targets: ['work-rack-cluster.fifo', 'work-old-cluster.fifo', 'delay', 'expand'] },
];
export const functions = [...serving.map(({ name }) => name), 'windowed-forwarder'];
export const reaching = functions.filter(name => name !== 'timer');

const { account: _account, region: _region, sources: _sources, vpc, ...reached } = eksDeployment;

/** A management cluster in EKS, with functions in a VPC. */
export const inEks = { ...reached, vpc: { ...vpc, subnets: [...vpc.subnets] } };

export type GivenDeployment = ProviderProps['deployment'];

/** Placeholders for the output of `buildProvider`, and stacks that use them. Call `remove` afterwards. */
export function makeProviders() {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-provider-'));
  const code = path.join(folder, 'built');
  for (const name of functions) {
    mkdirSync(path.join(code, name), { recursive: true });
    writeFileSync(path.join(code, name, 'handler.mjs'), `export const handler = () => '${name}';\n`);
  }
  const anApp = (props: AppProps = quickApp): App =>
    new App({ outdir: mkdtempSync(path.join(folder, 'out-')), ...props });
  return {
    code,
    anApp,
    deploy(deployment: GivenDeployment, more: Partial<ProviderProps> = {}) {
      const stack = new Stack(anApp(), 'Acme');
      const { rbac } = new Provider(stack, 'Racks', { deployment, reconcilers, code, ...more });
      return { made: new Synthesised(deployment.name, Template.fromStack(stack)), rbac };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
