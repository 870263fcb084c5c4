// The lifecycle of a Cluster on a real API server, from a user's requests.
import { readFileSync } from 'node:fs';
import type { ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeReal } from '../support/describe-real.ts';
import { createLife } from '../support/life.ts';
import { errorsOf, type LocalRun, startLocalRun } from '../support/local-run.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { clusterRef } from '../support/static-provider.ts';
import { conditionOf, connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

const functionsUser = 'functions';

describeReal('a Cluster driven by the local run', () => {
  let controlPlane: RealControlPlane;
  let client: WorldClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      users: [{ name: functionsUser, groups: ['system:masters'] }, { name: 'unprivileged' }],
    });
    client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
  });

  afterAll(() => controlPlane?.stop());

  const argsFor = (user: string, ...more: readonly string[]) => [
    '--kubeconfig',
    controlPlane.kubeconfigPath(user),
    '--json',
    ...more,
  ];

  it('reports the missing rights of a user without any', async () => {
    const run = startLocalRun({ args: argsFor('unprivileged') });
    expect(await run.ended).toBe(2);
    expect(run.stderr).toMatch(/^capi-serverless: API server https:\/\/127\.0\.0\.1:\d+ refuses this user: [^\n]+\n$/);
  });

  it('names the remedy if the CRDs are missing', async () => {
    const run = startLocalRun({ args: argsFor(functionsUser) });
    expect(await run.ended).toBe(2);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(run.stderr).toContain('--install-crds');
  });

  it('ends with exit code 0 and a summary once the applied Cluster is Provisioned', async () => {
    const run = startLocalRun({
      args: argsFor(
        functionsUser,
        '--install-crds',
        '--apply',
        'examples/plain-cluster.yaml',
        '--exit-when-ready',
        '--timeout',
        '500',
      ),
    });
    expect(await run.ended).toBe(0);
    expect(run.lines.at(-1), errorsOf(run)).toMatchObject({
      event: 'summary',
      failedReconciles: 0,
      reconciles: { cluster: expect.any(Number), 'simulated-cluster': expect.any(Number) },
      requests: { 'patch clusters/status': expect.any(Number) },
    });
    expect(phaseOf(await client.read(clusterRef('default', 'plain')))).toBe('Provisioned');
  });

  it('ends with exit code 1 and the pending conditions at the timeout', async () => {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'waiting' } });
    const infrastructureRef = {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: 'SimulatedCluster',
      name: 'missing',
    };
    await client.create({
      ...clusterRef('waiting', 'c1'),
      metadata: { name: 'c1', namespace: 'waiting', labels: { 'cluster.x-k8s.io/watch-filter': 'waiting' } },
      spec: { infrastructureRef },
    });
    let end = '';
    // On a busy machine, the first reconcile may take longer than a short timeout.
    for (const seconds of ['8', '60', '400']) {
      const run = startLocalRun({
        args: argsFor(functionsUser, '--watch-filter', 'waiting', '--exit-when-ready', '--timeout', seconds),
      });
      expect(await run.ended).toBe(1);
      end = JSON.stringify(run.lines.find(({ event }) => event === 'notReady'));
      if (end.includes('SimulatedCluster does not exist')) {
        break;
      }
    }
    expect(end).toContain('SimulatedCluster does not exist');
  });

  describe('that keeps running', () => {
    let run: LocalRun;
    const cluster = clusterRef('default', 'life');
    const infrastructure: ObjectRef = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedCluster',
      namespace: 'default',
      name: 'life',
    };
    const machines: ObjectRef = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      namespace: 'default',
      name: 'life-md-0',
    };

    beforeAll(async () => {
      run = startLocalRun({ args: argsFor(functionsUser) });
      await run.line(({ event }) => event === 'started');
      await createLife(client, 'life');
      await client.until(cluster, object => conditionOf(object, 'ControlPlaneInitialized') === 'True');
    });

    it('does not change while paused, and catches up afterwards', async () => {
      await client.patch(cluster, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
      await client.until(cluster, object => conditionOf(object, 'Paused') === 'True');
      await client.patch(infrastructure, {
        metadata: { annotations: { 'simulated.capi-serverless.dev/fail': 'no quota' } },
      });
      await client.until(infrastructure, object => conditionOf(object, 'Ready') === 'False');
      expect(conditionOf(await client.read(cluster), 'InfrastructureReady')).toBe('True');
      await client.patch(cluster, { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
      await client.until(cluster, object => conditionOf(object, 'InfrastructureReady') === 'False');
      await client.patch(infrastructure, { metadata: { annotations: { 'simulated.capi-serverless.dev/fail': null } } });
      await client.until(cluster, object => conditionOf(object, 'InfrastructureReady') === 'True');
      expect(phaseOf(await client.read(cluster))).toBe('Provisioned');
    });

    it('is deleted in order: workers, control plane, infrastructure, finalizer', async () => {
      await client.remove(cluster);
      await client.until(cluster, object => object === undefined);
      expect(await client.read(infrastructure)).toBeUndefined();
      expect(await client.read(machines)).toBeUndefined();
      expect(deletesOf(controlPlane, 'life')).toEqual([
        'machinedeployments life-md-0',
        'simulatedcontrolplanes life',
        'simulatedclusters life',
      ]);
      const reasons = (await client.events('default'))
        .filter(({ metadata }) => metadata.name.startsWith('life.'))
        .map(event => event['reason']);
      expect(new Set(reasons)).toEqual(
        new Set([
          'Provisioning',
          'InfrastructureReady',
          'Provisioned',
          'ControlPlaneInitialized',
          'Deleting',
          'Deleted',
        ]),
      );
    });

    it('stops cleanly on Ctrl-C', async () => {
      run.interrupt();
      expect(await run.ended).toBe(0);
      expect(run.lines.at(-1)).toMatchObject({ event: 'summary' });
      expect(run.stderr).toBe('');
    });
  });
});

/** Deletions by the simulated Machine controllers are not compared. */
const ofMachineControllers: ReadonlySet<unknown> = new Set(['machinesets', 'machines']);

/** Returns the deletions of the core functions for one Cluster, in order. */
function deletesOf(controlPlane: RealControlPlane, prefix: string): readonly string[] {
  return readFileSync(controlPlane.auditLogPath, 'utf8')
    .split('\n')
    .filter(line => line.includes('"verb":"delete"') && line.includes(`"username":"${functionsUser}"`))
    .map(line => JSON.parse(line).objectRef)
    .filter(({ name, resource }) => name.startsWith(prefix) && !ofMachineControllers.has(resource))
    .map(({ resource, name }) => `${resource} ${name}`);
}
