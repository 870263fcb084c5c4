// `plan machine` beside a local run: the drain of a Node before and during the deletion of its Machine, as a user sees it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Intent, ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { secretText } from '../../shared/api/secret.ts';
import { createLife } from '../support/life.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { conditionOf, connectWorldClient, type WorldClient } from '../support/world-client.ts';

const namespace = 'default';
const cluster = 'drained';
const folder = mkdtempSync(path.join(tmpdir(), 'capi-plan-machine-'));
const machineRef: ObjectRef = { ...clusterRef(namespace, 'm1'), kind: 'Machine' };
const budgetRef: ObjectRef = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name: 'web' };
const podRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Pod', namespace, name });

let run: LocalRun;
let client: WorldClient;
let workload: WorldClient;

/** The sample Pods of the Node are `web-m1`, and `kube-proxy-m1` of a DaemonSet. */
beforeAll(async () => {
  run = startLocalRun({ args: ['--no-examples', '--json'] });
  await run.line(({ event }) => event === 'started');
  client = await connectWorldClient(embeddedKubeconfigPath);
  await createLife(client, cluster);
  for (const object of [...aMachine('cp1', { 'cluster.x-k8s.io/control-plane': '' }), ...aMachine('m1', {})]) {
    await client.create(object);
  }
  for (const name of ['cp1', 'm1']) {
    await client.until({ ...machineRef, name }, machine => conditionOf(machine, 'NodeReady') === 'True');
  }
  workload = await connectWorkload();
  await workload.create(aPod('late'));
  await workload.create(aPod('kept'));
  await client.create(aDrainRule('late', { behavior: 'Drain', order: 10 }));
  await client.create(aDrainRule('kept', { behavior: 'Skip' }));
  await workload.create({
    ...budgetRef,
    metadata: { namespace, name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
});

afterAll(async () => {
  run.interrupt();
  await run.ended;
  rmSync(folder, { recursive: true });
});

function aMachine(name: string, labels: Readonly<Record<string, string>>): readonly Intent[] {
  const metadata = { name, namespace, labels: { 'cluster.x-k8s.io/cluster-name': cluster, ...labels } };
  const parts = [
    { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'SimulatedBootstrapConfig', name },
    { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name },
  ] as const;
  const [configRef, infrastructureRef] = parts;
  return [
    ...parts.map(({ apiGroup, kind }) => ({ apiVersion: `${apiGroup}/v1beta2`, kind, metadata, spec: {} })),
    {
      ...clusterRef(namespace, name),
      kind: 'Machine',
      metadata,
      spec: { clusterName: cluster, version: 'v1.35.0', bootstrap: { configRef }, infrastructureRef },
    },
  ];
}

function aPod(app: string): Intent {
  return {
    ...podRef(app),
    metadata: { namespace, name: app, labels: { app } },
    spec: { nodeName: 'm1', containers: [{ name: app, image: app }] },
  };
}

function aDrainRule(app: string, drain: Readonly<Record<string, unknown>>): Intent {
  return {
    ...clusterRef(namespace, app),
    kind: 'MachineDrainRule',
    metadata: { namespace, name: app },
    spec: { drain, pods: [{ selector: { matchLabels: { app } } }] },
  };
}

async function connectWorkload(): Promise<WorldClient> {
  const secret = await client.read({ apiVersion: 'v1', kind: 'Secret', namespace, name: `${cluster}-kubeconfig` });
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(file, secret === undefined ? '' : secretText(secret, 'value'));
  return connectWorldClient(file);
}

async function planLines(): Promise<readonly string[]> {
  const args = ['cli/bin.js', 'plan', 'machine', `${namespace}/m1`];
  const env = { ...process.env, ...raisedLimits };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env });
  return stdout.split('\n');
}

const drain = [
  '     evicts, order 0:',
  '       default/web-m1: no MachineDrainRule applies; blocked now by PodDisruptionBudget default/web, which allows no disruption (1 healthy, 1 required)',
  '     evicts, order 10, after the Pods above are gone:',
  '       default/late: MachineDrainRule late',
  '     skips:',
  '       default/kept: MachineDrainRule kept',
  '       kube-system/kube-proxy-m1: DaemonSet kube-system/kube-proxy',
  '  3. volumes of the Node: none is attached',
];

describe('plan machine', () => {
  it('shows before a deletion which Pods a drain evicts, in which order, by which rule, and what blocks it', async () => {
    const lines = await planLines();
    const title = lines.indexOf('What a deletion of Machine default/m1 would do now');
    expect(lines.slice(title, title + 11)).toEqual([
      'What a deletion of Machine default/m1 would do now',
      '  1. pre-drain hooks: none',
      '  2. drain of the Node: cordons m1, then removes its Pods (no time limit)',
      ...drain,
    ]);
  });

  it('shows during the deletion the same drain, and the deletion does what it shows', async () => {
    await client.remove(machineRef);
    await client.until(machineRef, machine => conditionOf(machine, 'Deleting') === 'True');
    await workload.until(
      { apiVersion: 'v1', kind: 'Node', name: 'm1' },
      node => node?.spec !== undefined && 'unschedulable' in Object(node.spec),
    );
    const lines = await planLines();
    const step = lines.findIndex(line => line.startsWith('  2. drain of the Node (now): cordons m1'));
    expect(lines.slice(step + 1, step + 1 + drain.length)).toEqual(drain);
    for (const name of ['web-m1', 'late', 'kept']) {
      expect((await workload.read(podRef(name)))?.metadata).not.toHaveProperty('deletionTimestamp');
    }
    await workload.patch(budgetRef, { spec: { minAvailable: 0 } });
    const late = await workload.until(podRef('late'), pod => pod?.metadata.deletionTimestamp !== undefined);
    expect(late).toBeDefined();
    expect(await workload.read(podRef('web-m1'))).toBeUndefined();
    expect((await workload.read(podRef('kept')))?.metadata).not.toHaveProperty('deletionTimestamp');
    await client.until(machineRef, machine => machine === undefined);
  });
});
