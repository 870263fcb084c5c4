// What docs/runbook.md and docs/admission-policies.md say about webhooks that do not answer.
import type { ObjectRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { withKubectl } from '../ports/apiserver/kubectl.ts';
import { errorsOf, type LocalRun } from '../support/local-run.ts';
import type { StoryRig } from './rig.ts';
import { olderResource, succeed } from './story-clients.ts';
import { firstTopology, namespace } from './story-cluster.ts';

interface Outage {
  readonly rig: () => StoryRig;
  readonly run: () => LocalRun;
  /** Lets the functions answer again. */
  readonly restore: () => Promise<void>;
}

/** The Cluster exists, and the webhook functions do not answer. */
export function declareOutage({ rig, run, restore }: Outage): void {
  const probe = { metadata: { labels: { probe: '1' } } };
  const failedCall = (webhook: string): string => `failed calling webhook "${webhook}.cluster.x-k8s.io"`;

  it('writes of Clusters, ClusterClasses and ExtensionConfigs are refused, and deletions of the first two', async () => {
    const { installation, ref, usualClass } = rig();
    const { client } = installation;
    const classRef: ObjectRef = { ...ref, kind: 'ClusterClass', name: usualClass.object.metadata.name };
    await expect(client.patch(ref, probe)).rejects.toThrow(failedCall('default.cluster'));
    await expect(client.remove(ref)).rejects.toThrow(failedCall('validation.cluster'));
    await expect(client.patch(classRef, probe)).rejects.toThrow(failedCall('validation.clusterclass'));
    await expect(client.remove(classRef)).rejects.toThrow(failedCall('validation.clusterclass'));
    const extension = {
      apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
      kind: 'ExtensionConfig',
      metadata: { name: 'refused' },
      spec: { clientConfig: { url: 'https://127.0.0.1:1' } },
    };
    await expect(client.create(extension)).rejects.toThrow(failedCall('default.extensionconfig.runtime.addons'));
  });

  it('reads, writes of status and of scale go on', async () => {
    const { installation, ref, settle } = rig();
    expect(await installation.client.patch(ref, { status: { phase: 'Provisioned' } }, 'status')).toMatchObject({
      status: { phase: 'Provisioned' },
    });
    const deployment = (await settle(firstTopology)).find(({ kind }) => kind === 'MachineDeployment');
    await withKubectl(installation.controlPlane.kubeconfigPath('admin'), kubectl =>
      succeed(kubectl, [
        ...['scale', 'machinedeployments.v1beta2.cluster.x-k8s.io', deployment?.metadata.name ?? ''],
        ...[`--namespace=${namespace}`, '--replicas=2', '--dry-run=server'],
      ]),
    );
  });

  it('a deleted Machine is replaced', async () => {
    const {
      installation,
      ref: { apiVersion },
      reach,
      settle,
    } = rig();
    const { client } = installation;
    const machine = (await settle(firstTopology)).find(
      ({ kind, metadata: { labels = {} } }) => kind === 'Machine' && 'cluster.x-k8s.io/deployment-name' in labels,
    );
    const ref = { apiVersion, kind: 'Machine', namespace, name: machine?.metadata.name ?? '' };
    await client.remove(ref);
    await client.until(ref, object => object === undefined);
    await reach(firstTopology);
  });

  it('requests in v1beta1 fail', async () => {
    const {
      installation,
      ref: { apiVersion },
    } = rig();
    await withKubectl(installation.controlPlane.kubeconfigPath('admin'), async kubectl => {
      for (const [plural, kind] of [
        ['clusters', 'Cluster'],
        ['machines', 'Machine'],
      ] as const) {
        const { exitCode, stderr } = await kubectl(['get', olderResource(plural), `--namespace=${namespace}`]);
        expect(exitCode).toBe(1);
        expect(stderr).toContain(`conversion webhook for ${apiVersion}, Kind=${kind} failed`);
      }
    });
  });

  it('the functions log nothing but refused writes', () => {
    const others = errorsOf(run())
      .split('; ')
      .filter(line => line !== '' && !line.includes('failed calling webhook'));
    expect(others).toEqual([]);
  });

  it('everything goes on when they answer again', async () => {
    await restore();
    const { installation, ref, settle } = rig();
    await installation.client.patch(ref, probe);
    await installation.client.remove(ref);
    expect(await settle(undefined)).toEqual([]);
  });
}
