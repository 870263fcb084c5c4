// Our own scenarios of Machines, beside those of the corpus, in virtual time. There is no recording of them: the
// expected states follow from the specified behaviour of Cluster API.

import { valueAt } from '@capi-serverless/apimachinery';
import { beforeAll, describe, expect, it } from 'vitest';
import { conditionIn, conditionText } from '../support/result-text.ts';
import { describeCorpus } from './corpus.ts';
import { type CorpusCode, loadCorpusCode } from './corpus-code.ts';
import {
  aCluster,
  annotate,
  apply,
  aRunningMachine,
  bootstrap,
  closedKubeconfig,
  infrastructure,
  machine,
  node,
  nodeConditions,
  patch,
  patchStatus,
  pod,
  remove,
  settle,
} from './machine-builders.ts';
import { playScenario } from './player.ts';
import type { ScenarioStep } from './steps.ts';
import { onVirtualStage } from './virtual-stage.ts';

/** The state in one snapshot. */
interface SeenState {
  /** Returns `undefined` if there is no such object. */
  find(key: string): unknown;
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
}

const preDrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
const preTerminate = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';

describeCorpus('further scenarios of Machines', () => {
  let code: CorpusCode;

  beforeAll(async () => {
    code = await loadCorpusCode();
  });

  async function play(id: string, ...steps: readonly (ScenarioStep | readonly ScenarioStep[])[]) {
    const scenario = { id, kind: 'Machine', title: id, folder: id, namespaces: [], steps: steps.flat() };
    const played = { name: id, isFamily: true };
    const { result, defects } = await onVirtualStage(played, stage => playScenario(scenario, stage, code));
    expect(defects).toEqual([]);
    expect(result.errors).toBeUndefined();
    return (name: string): SeenState => {
      const objects = result.snapshots.find(snapshot => snapshot.name === name)?.objects ?? {};
      const status = valueAt(objects['Machine/m1'], 'status');
      const v1beta1 = valueAt(status, 'deprecated.v1beta1.conditions');
      return {
        find: key => objects[key],
        condition: type => conditionText(conditionIn(valueAt(status, 'conditions'), type)),
        v1beta1: type => conditionText(conditionIn(v1beta1, type)),
      };
    };
  }

  describe('a workload cluster', () => {
    it('that was never connected is reported before and after a providerID is known', async () => {
      const at = await play(
        'never-connected',
        aCluster(closedKubeconfig),
        apply(bootstrap(), { ...infrastructure(), spec: {}, status: {} }, machine()),
        settle('no providerID'),
        patch('ParityInfraMachine', 'm1', { spec: { providerID: 'parity://<ns>/m1' } }),
        patchStatus('ParityInfraMachine', 'm1', { initialization: { provisioned: true } }),
        settle('provisioned'),
        apply(node()),
        patch('Secret', 'c1-kubeconfig', { data: { value: '$(apiserver.kubeconfig)' } }),
        settle('connected', 35),
      );
      for (const name of ['no providerID', 'provisioned']) {
        expect(at(name).condition('NodeReady')).toBe('Unknown/ConnectionDown Remote connection not established yet');
        expect(at(name).v1beta1('NodeHealthy')).toBeUndefined();
        expect(valueAt(at(name).find('Machine/m1'), 'status.observedGeneration')).toBeUndefined();
      }
      expect(at('connected').condition('Available')).toBe('True/Available');
    });
  });

  describe('a drain', () => {
    const budget = (name: string, app: string, allowed: number) => ({
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      status: {
        observedGeneration: 1,
        disruptionsAllowed: allowed,
        currentHealthy: 1 + allowed,
        desiredHealthy: 1,
        expectedPods: 2,
      },
    });

    it('waits for budgets, and names each reason', async () => {
      const at = await play(
        'budgets',
        aCluster(),
        aRunningMachine(),
        apply(budget('b1', 'one', 0), budget('b2', 'two', 0), budget('b3', 'two', 0)),
        apply(pod('p1', { app: 'one' }), pod('p2', { app: 'two' }), pod('p3')),
        remove('Machine', 'm1'),
        settle('refused', 24),
        patchStatus('PodDisruptionBudget', 'b1', { disruptionsAllowed: 1, currentHealthy: 2 }),
        settle('allowed', 24),
      );
      expect(at('refused').condition('Deleting')).toBe(
        [
          'True/DrainingNode Drain not completed yet (started at <time>):',
          '* Pod <ns>/p3: deletionTimestamp set, but still not removed from the Node',
          "* Pod <ns>/p1: cannot evict pod as it would violate the pod's disruption budget. The disruption budget b1 needs 1 healthy pods and has 1 currently",
          '* Pod <ns>/p2: failed to evict Pod, This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        ].join('\n'),
      );
      // The Pod that a look has evicted is last. The next look, 20 s later, sorts them.
      expect(at('allowed').condition('Deleting')).toMatch(
        /\* Pods <ns>\/p(3, <ns>\/p1|1, <ns>\/p3): deletionTimestamp set, but still not removed from the Node/,
      );
    });

    it('and the wait for volumes end at their timeouts', async () => {
      const volumesAttached = [{ name: 'kubernetes.io/aws-ebs/x', devicePath: '' }];
      const deletion = {
        nodeDrainTimeoutSeconds: 30,
        nodeVolumeDetachTimeoutSeconds: 30,
        nodeDeletionTimeoutSeconds: 10,
      };
      const at = await play(
        'timeouts',
        aCluster(),
        aRunningMachine({ node: { status: { volumesAttached } }, spec: { deletion } }),
        apply(pod('p1', { 'cluster.x-k8s.io/drain': 'Wait-Completed' })),
        remove('Machine', 'm1'),
        settle('draining', 7),
        { wait: { seconds: 30 } },
        settle('volumes', 7),
        { wait: { seconds: 30 } },
        settle('gone', 7),
      );
      expect(at('draining').condition('Deleting')).toContain('* Pod <ns>/p1: waiting for completion');
      expect(at('volumes').condition('Deleting')).toBe(
        'True/WaitingForVolumeDetach Waiting for Node volumes to be detached (started at <time>)\n* Node with .status.volumesAttached entries not matching a PersistentVolume: kubernetes.io/aws-ebs/x',
      );
      expect(at('volumes').v1beta1('DrainingSucceeded')).toContain('False/Info/Draining');
      expect(at('gone').find('Machine/m1')).toBeUndefined();
      expect(at('gone').find('Pod/p1')).toBeDefined();
    });

    it('of an unreachable Node evicts with a grace period of one second, and ignores Pods that should be gone', async () => {
      const at = await play(
        'unreachable',
        aCluster(),
        aRunningMachine({ node: { status: { conditions: nodeConditions('Unknown', 'Unknown') } } }),
        apply(pod('p1'), pod('waits', { 'cluster.x-k8s.io/drain': 'wait-completed' })),
        remove('Machine', 'm1'),
        settle('draining', 24),
      );
      expect(at('draining').condition('Deleting')).toBe(
        'True/DrainingNode Drain not completed yet (started at <time>):\n* Pod <ns>/waits: waiting for completion',
      );
      expect(valueAt(at('draining').find('Pod/p1'), 'metadata.deletionGracePeriodSeconds')).toBe(1);
    });

    it('is omitted by annotations, also the wait for volumes', async () => {
      const volumesAttached = [{ name: 'kubernetes.io/aws-ebs/x', devicePath: '' }];
      const annotations = {
        'machine.cluster.x-k8s.io/exclude-node-draining': '',
        'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '',
      };
      const at = await play(
        'omitted',
        aCluster(),
        aRunningMachine({ metadata: { annotations }, node: { status: { volumesAttached } } }),
        apply(pod('p1')),
        remove('Machine', 'm1'),
        settle('gone', 8),
      );
      expect(at('gone').find('Machine/m1')).toBeUndefined();
      expect(at('gone').find('Node/<ns>-m1')).toBeUndefined();
      expect(valueAt(at('gone').find('Pod/p1'), 'metadata.deletionTimestamp')).toBeUndefined();
    });
  });

  describe('volumes', () => {
    const volume = (name: string, handle: string, hasClaim = true) => ({
      kind: 'PersistentVolume',
      metadata: { name: `<ns>-${name}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'd', volumeHandle: handle },
        ...(hasClaim ? { claimRef: { kind: 'PersistentVolumeClaim', namespace: '<ns>', name: `claim-${name}` } } : {}),
      },
    });
    const attachment = (name: string, volumeName: string) => ({
      kind: 'VolumeAttachment',
      metadata: { name: `<ns>-${name}` },
      spec: { attacher: 'd', nodeName: '<ns>-m1', source: { persistentVolumeName: `<ns>-${volumeName}` } },
      status: { attached: true },
    });

    it('of other Pods are waited for, those of skipped Pods are not', async () => {
      const attached = ['h1', 'h2', 'h3'].map(handle => ({ name: `kubernetes.io/csi/d^${handle}`, devicePath: '' }));
      const claimed = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim-pv1' } }];
      const at = await play(
        'volumes',
        aCluster(),
        aRunningMachine({
          node: { status: { volumesAttached: attached } },
          infrastructure: { metadata: { finalizers: ['example.com/held'] } },
        }),
        apply(volume('pv1', 'h1'), volume('pv2', 'h2', false), volume('pv3', 'h3'), attachment('a', 'gone')),
        apply(pod('skipped', { 'cluster.x-k8s.io/drain': 'skip' }, { volumes: claimed })),
        remove('Machine', 'm1'),
        settle('attached', 24),
        patchStatus('Node', '<ns>-m1', { volumesAttached: attached.slice(0, 1) }),
        remove('VolumeAttachment', '<ns>-a'),
        settle('detached', 24),
      );
      expect(at('attached').condition('Deleting')).toBe(
        [
          'True/WaitingForVolumeDetach Waiting for Node volumes to be detached (started at <time>)',
          '* PersistentVolumeClaims: <ns>/claim-pv3',
          '* PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim: <ns>-pv2',
          '* VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume: <ns>-gone',
        ].join('\n'),
      );
      expect(at('detached').condition('Deleting')).toBe(
        'True/WaitingForInfrastructureDeletion Waiting for ParityInfraMachine to be deleted',
      );
    });
  });

  describe('a deletion', () => {
    it('with a finalizer of another controller keeps its last report', async () => {
      const at = await play(
        'foreign-finalizer',
        aCluster(),
        aRunningMachine({ metadata: { finalizers: ['example.com/held'] } }),
        remove('Machine', 'm1'),
        settle('completed', 8),
      );
      expect(at('completed').condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
      expect(at('completed').condition('NodeReady')).toBe('False/NodeDeleted Node <ns>-m1 has been deleted');
      expect(at('completed').v1beta1('NodeHealthy')).toBe('False/Info/Deleting');
      expect(at('completed').find('Node/<ns>-m1')).toBeUndefined();
    });

    it('after a pre-terminate hook never drains again, and a late pre-drain hook blocks', async () => {
      const at = await play(
        'late-hooks',
        aCluster(),
        aRunningMachine({
          metadata: { annotations: { [`${preTerminate}/a`]: 'x' } },
          infrastructure: { metadata: { finalizers: ['example.com/held'] } },
        }),
        remove('Machine', 'm1'),
        settle('pre-terminate'),
        apply(pod('p1')),
        annotate(`${preTerminate}/a`, null),
        settle('infrastructure'),
        annotate(`${preDrain}foo`, ''),
        settle('late'),
      );
      expect(at('pre-terminate').condition('Deleting')).toBe(
        `True/WaitingForPreTerminateHook Waiting for pre-terminate hooks to succeed (hooks: ${preTerminate}/a)`,
      );
      expect(at('infrastructure').condition('Deleting')).toContain('True/WaitingForInfrastructureDeletion');
      expect(valueAt(at('late').find('Pod/p1'), 'metadata.deletionTimestamp')).toBeUndefined();
      expect(at('late').condition('Deleting')).toBe(
        `True/WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${preDrain}foo)`,
      );
    });

    it('of the Cluster omits hooks, drain and the Node', async () => {
      const at = await play(
        'cluster-deleted',
        aCluster(),
        aRunningMachine({
          metadata: { annotations: { [`${preDrain}/a`]: '' } },
          infrastructure: { metadata: { finalizers: ['example.com/held'] } },
        }),
        apply(pod('p1')),
        remove('Cluster', 'c1'),
        settle('deleting', 8),
      );
      expect(at('deleting').condition('Deleting')).toContain('True/WaitingForInfrastructureDeletion');
      expect(valueAt(at('deleting').find('Pod/p1'), 'metadata.deletionTimestamp')).toBeUndefined();
      expect(valueAt(at('deleting').find('Node/<ns>-m1'), 'spec.unschedulable')).toBeUndefined();
    });

    it('of a paused Machine waits', async () => {
      const at = await play(
        'paused',
        aCluster(),
        aRunningMachine(),
        patch('Cluster', 'c1', { spec: { paused: true } }),
        settle('paused'),
        remove('Machine', 'm1'),
        settle('deleted'),
        patch('Cluster', 'c1', { spec: { paused: null } }),
        settle('gone', 8),
      );
      expect(at('paused').condition('Paused')).toBe('True/Paused Cluster spec.paused is set to true');
      expect(at('deleted').condition('Deleting')).toBe('False/NotDeleting');
      expect(at('gone').find('Machine/m1')).toBeUndefined();
    });
  });

  it('the Node gets labels, annotations and the interruptible label of its Machine, and loses only those', async () => {
    const at = await play(
      'node-metadata',
      aCluster(),
      aRunningMachine({
        metadata: {
          labels: { 'node.cluster.x-k8s.io/a': '1', 'gpu-node.cluster.x-k8s.io/b': '2' },
          annotations: { 'x.node.cluster.x-k8s.io/c': '3' },
        },
        node: { metadata: { labels: { own: '4' } } },
        infrastructure: { status: { interruptible: true } },
      }),
      patch('Machine', 'm1', {
        metadata: { labels: { 'node.cluster.x-k8s.io/a': null, 'node-role.kubernetes.io/w': '' } },
      }),
      patchStatus('ParityInfraMachine', 'm1', { interruptible: false }),
      settle('changed'),
    );
    const labels = (name: string) => valueAt(at(name).find('Node/<ns>-m1'), 'metadata.labels');
    expect(labels('running')).toEqual({
      'cluster.x-k8s.io/interruptible': '',
      'node.cluster.x-k8s.io/a': '1',
      own: '4',
    });
    expect(labels('changed')).toEqual({ 'node-role.kubernetes.io/w': '', own: '4' });
    expect(valueAt(at('changed').find('Node/<ns>-m1'), 'metadata.annotations')).toMatchObject({
      'x.node.cluster.x-k8s.io/c': '3',
      'cluster.x-k8s.io/labels-from-machine': 'node-role.kubernetes.io/w',
    });
  });
});
