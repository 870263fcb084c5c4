// The conformance suite of the kinds of a workload cluster.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, core, created, done, expectInvalid, expectRefusal, listed, ours } from '../api-case.ts';
import { type ApiServerSubject, prepare } from '../subject.ts';
import { deletionCases } from './deletions.ts';
import { kubectlCases } from './drain-with-kubectl.ts';
import { budgetCases, evictionCases } from './evictions.ts';
import { aPod } from './pods.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function aNode(parts: JsonObject = {}): JsonObject & { metadata: { name: string } } {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: freshName('node') }, ...parts };
}

const nodeStatus = {
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
  addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
  nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Linux', kernelVersion: '6.1', containerRuntimeVersion: 'cri://2' },
};

const podStatus = {
  phase: 'Running',
  podIP: '10.1.0.9',
  containerStatuses: [
    { name: 'main', ready: true, restartCount: 2, image: 'i', imageID: 'i', state: { running: {} } },
    {
      name: 'side',
      ready: false,
      restartCount: 0,
      image: 'i',
      imageID: 'i',
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    },
  ],
};

/** Each group with one object. `status` is the status of a new object. */
const kinds: readonly (readonly [plural: string, path: (api: Api) => string, body: JsonObject, status: JsonObject])[] =
  [
    [
      'daemonsets',
      ({ namespace }) => `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'main', image: 'example.com/main' }] },
          },
        },
      },
      { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    ],
    [
      'volumeattachments',
      () => '/apis/storage.k8s.io/v1/volumeattachments',
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        spec: { attacher: 'example.com', nodeName: 'node', source: { persistentVolumeName: 'volume' } },
      },
      { attached: false },
    ],
    [
      'persistentvolumes',
      () => '/api/v1/persistentvolumes',
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'example.com', volumeHandle: 'volume' },
        },
      },
      { phase: 'Pending', lastPhaseTransitionTime: expect.any(String) },
    ],
    [
      'persistentvolumeclaims',
      api => core(api, 'persistentvolumeclaims'),
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      { phase: 'Pending' },
    ],
    [
      'poddisruptionbudgets',
      ({ namespace }) => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
      },
      { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    ],
  ];

function nodeCases(ask: () => Api): void {
  it('keeps the status of a new Node, and shows its columns', async () => {
    const labels = { 'node-role.kubernetes.io/control-plane': '', 'kubernetes.io/role': 'edge' };
    const name = freshName('node');
    const node = aNode({ metadata: { name, labels }, spec: { unschedulable: true }, status: nodeStatus });
    expect(created(await ask().http.post('/api/v1/nodes', node))).toMatchObject({ status: nodeStatus });
    const answer = await ask().http.get(`/api/v1/nodes/${name}`, { accept: table });
    const age = expect.stringMatching(/^\d+m?s/);
    expect(answer.body).toMatchObject({
      columnDefinitions: [
        ...['Name', 'Status', 'Roles', 'Age', 'Version'].map(each => ({ name: each, priority: 0 })),
        ...['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'].map(each => ({
          name: each,
          priority: 1,
        })),
      ],
      rows: [
        {
          cells: [
            name,
            'Ready,SchedulingDisabled',
            'control-plane,edge',
            age,
            'v1.36.0',
            '10.0.0.7',
            '<none>',
            'Linux',
            '6.1',
            'cri://2',
          ],
        },
      ],
    });
  });

  it('shows a Node without status as Unknown', async () => {
    const node = aNode();
    created(await ask().http.post('/api/v1/nodes', node));
    const answer = await ask().http.get(`/api/v1/nodes/${node.metadata.name}`, { accept: table });
    expect(answer.body).toMatchObject({
      rows: [
        {
          cells: [
            node.metadata.name,
            'Unknown',
            '<none>',
            expect.any(String),
            '',
            '<none>',
            '<none>',
            '<unknown>',
            '<unknown>',
            '<unknown>',
          ],
        },
      ],
    });
  });
}

function patchCases(ask: () => Api): void {
  const strategic = { type: 'application/strategic-merge-patch+json' };

  it('merges a strategic merge patch of a Node, and replaces its taints', async () => {
    const taint = (key: string): JsonObject => ({ key, effect: 'NoSchedule' });
    const node = aNode({ spec: { taints: [taint('a')], podCIDR: '10.0.0.0/24' } });
    const path = `/api/v1/nodes/${node.metadata.name}`;
    created(await ask().http.post('/api/v1/nodes', node));
    const patched = await ask().http.patch(path, { spec: { unschedulable: true, taints: [taint('b')] } }, strategic);
    expect(done(patched).spec).toMatchObject({ unschedulable: true, podCIDR: '10.0.0.0/24', taints: [taint('b')] });
    const back = await ask().http.patch(path, { spec: { unschedulable: null } }, strategic);
    expect(done(back).spec).not.toHaveProperty('unschedulable');
  });

  it('refuses a strategic merge patch of a custom resource', async () => {
    expectRefusal(await ask().http.patch(ours(ask(), 'widgets', 'absent'), {}, strategic), 415);
  });
}

function podCases(ask: () => Api): void {
  it('gives a new Pod a pending status and defaults', async () => {
    const pod = created(await ask().http.post(core(ask(), 'pods'), { ...aPod(), status: { phase: 'Running' } }));
    expect(pod).toMatchObject({
      metadata: { generation: 1 },
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
      status: { phase: 'Pending' },
    });
  });

  it('refuses a Pod without containers', async () => {
    const answer = await ask().http.post(core(ask(), 'pods'), aPod({ containers: [] }));
    expectInvalid(answer, { reason: 'FieldValueRequired', field: 'spec.containers' });
  });

  it('shows the columns of a Pod, and finds it by node and phase', async () => {
    const nodeName = freshName('node');
    const containers = ['main', 'side'].map(name => ({ name, image: 'example.com/main' }));
    const { metadata } = created(await ask().http.post(core(ask(), 'pods'), aPod({ nodeName, containers })));
    const { name } = metadata;
    done(await ask().http.patch(core(ask(), 'pods', `${name}/status`), { status: podStatus }));
    const find = async (fieldSelector: string): Promise<readonly string[]> =>
      (await listed(ask(), core(ask(), 'pods'), { query: { fieldSelector } })).items.map(each => each.metadata.name);
    expect(await find(`spec.nodeName=${nodeName}`)).toEqual([name]);
    expect(await find(`spec.nodeName=${nodeName},status.phase=Running`)).toEqual([name]);
    expect(await find(`spec.nodeName=${nodeName},status.phase!=Running`)).toEqual([]);
    const answer = await ask().http.get(core(ask(), 'pods', name), { accept: table });
    expect(answer.body).toMatchObject({
      columnDefinitions: [
        ...['Name', 'Ready', 'Status', 'Restarts', 'Age'].map(each => ({ name: each, priority: 0 })),
        ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map(each => ({ name: each, priority: 1 })),
      ],
      rows: [
        {
          cells: [name, '1/2', 'CrashLoopBackOff', '2', expect.any(String), '10.1.0.9', nodeName, '<none>', '<none>'],
        },
      ],
    });
  });
}

/** Declares the suite for one server. It opens the server once and closes it at the end. */
export function workloadConformance(name: string, open: () => Promise<ApiServerSubject>): void {
  describe(`Kinds of a workload cluster: ${name}`, () => {
    let subject: ApiServerSubject | undefined;
    let api: Api | undefined;

    beforeAll(async () => {
      subject = await open();
      api = await prepare(subject);
    });

    afterAll(async () => {
      await subject?.close();
    });

    const ask = (): Api => {
      if (api === undefined) {
        throw new Error('The server was not opened');
      }
      return api;
    };

    nodeCases(ask);
    patchCases(ask);
    podCases(ask);
    describe('the deletion of Pods', () => deletionCases(ask));
    describe('evictions', () => evictionCases(ask));
    describe('evictions with budgets', () => budgetCases(ask));
    describe('kubectl', () => kubectlCases(ask));

    it.each(kinds)(
      'resets the status of new %s, and keeps it in writes of the main resource',
      async (_, pathOf, body, status) => {
        const path = pathOf(ask());
        const object = { ...body, metadata: { name: freshName('one') } };
        const { metadata, ...made } = created(await ask().http.post(path, object));
        expect(made['status']).toEqual(status);
        const changed = await ask().http.patch(`${path}/${metadata.name}`, {
          status: { phase: 'Failed', numberReady: 4 },
        });
        expect(done(changed)['status']).toEqual(status);
      },
    );
  });
}
