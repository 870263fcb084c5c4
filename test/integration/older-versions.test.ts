// Manifests and commands in v1beta1, with kubectl, on the local run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { type Kubectl, kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { declareMissing } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';

const suite = 'kubectl with v1beta1 on the local run';
const problem = kubectlProblem();
if (problem === undefined) {
  describe(suite, useOlderVersions);
} else {
  declareMissing(suite, problem);
}

const older = 'v1beta1.cluster.x-k8s.io';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const controlPlane = 'controlplane.cluster.x-k8s.io/v1beta2';
const bootstrap = 'bootstrap.cluster.x-k8s.io/v1beta2';

/** As people have them: references with versions, durations, and names that v1beta2 changed. */
const manifest = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: old}
spec:
  infrastructure: {ref: {apiVersion: ${infrastructure}, kind: SimulatedClusterTemplate, name: old}}
  controlPlane:
    ref: {apiVersion: ${controlPlane}, kind: SimulatedControlPlaneTemplate, name: old}
    machineInfrastructure: {ref: {apiVersion: ${infrastructure}, kind: SimulatedMachineTemplate, name: old}}
  workers:
    machineDeployments:
      - class: worker
        nodeDrainTimeout: 1m
        template:
          bootstrap: {ref: {apiVersion: ${bootstrap}, kind: SimulatedBootstrapConfigTemplate, name: old}}
          infrastructure: {ref: {apiVersion: ${infrastructure}, kind: SimulatedMachineTemplate, name: old}}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: old}
spec:
  topology:
    class: old
    version: v1.35.0
    controlPlane: {replicas: 1}
    workers: {machineDeployments: [{class: worker, name: md, replicas: 1, nodeDrainTimeout: 30s}]}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: single, labels: {from: manifest}}
spec:
  clusterName: old
  replicas: 0
  selector: {matchLabels: {own: single}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0, deletePolicy: Oldest}}
  template:
    metadata: {labels: {own: single}}
    spec:
      clusterName: old
      version: v1.35.0
      nodeDeletionTimeout: 20s
      bootstrap: {configRef: {apiVersion: ${bootstrap}, kind: SimulatedBootstrapConfigTemplate, name: old}}
      infrastructureRef: {apiVersion: ${infrastructure}, kind: SimulatedMachineTemplate, name: old}
`;

const template = (apiVersion: string, kind: string): string =>
  `---\n${JSON.stringify({ apiVersion, kind, metadata: { name: 'old' }, spec: { template: { spec: {} } } })}\n`;

const templates = [
  template(infrastructure, 'SimulatedClusterTemplate'),
  template(controlPlane, 'SimulatedControlPlaneTemplate'),
  template(infrastructure, 'SimulatedMachineTemplate'),
  template(bootstrap, 'SimulatedBootstrapConfigTemplate'),
].join('');

function useOlderVersions(): void {
  let run: LocalRun;

  beforeAll(async () => {
    run = startLocalRun({ args: ['--no-examples', '--json'] });
    await run.line(({ event }) => event === 'started');
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it('applies a class, a Cluster and a MachineDeployment twice, and then sees no difference', () =>
    asUser(async kubectl => {
      expect(await kubectl('apply --filename=-', `${templates}---${manifest}`)).toContain(
        'cluster.cluster.x-k8s.io/old created',
      );
      expect(await kubectl('apply --filename=-', manifest)).not.toContain('created');
      expect(await kubectl('diff --filename=-', manifest)).toBe('');
    }));

  it('waits for a condition of v1beta1', () =>
    asUser(async kubectl => {
      const condition = 'jsonpath={.status.v1beta2.conditions[?(@.type=="Available")].status}=True';
      const waited = await kubectl(`wait clusters.${older}/old --for=${condition} --timeout=300s`);
      expect(waited).toMatch(/ condition met\n$/);
    }));

  it('shows the columns and fields of v1beta1', () =>
    asUser(async kubectl => {
      const [head = '', row = ''] = (await kubectl(`get clusters.${older}`)).split('\n');
      expect(head.split(/ +/)).toEqual(['NAME', 'CLUSTERCLASS', 'PHASE', 'AGE', 'VERSION']);
      expect(row.split(/ +/)).toMatchObject(['old', 'old', 'Provisioned', /./, 'v1.35.0'].map(expectText));
      expect(await kubectl(`get machinedeployments.${older} single --output=yaml`)).toContain(
        'nodeDeletionTimeout: 20s',
      );
      expect(await kubectl('get machinedeployment single --output=yaml')).toContain('nodeDeletionTimeoutSeconds: 20');
      const explained = await kubectl('explain cluster.spec.topology --api-version=cluster.x-k8s.io/v1beta1');
      expect(explained).toMatch(/VERSION: +v1beta1\n/);
      expect(explained).toMatch(/^ {2}class\t<string>$/m);
      expect(await kubectl('api-resources --api-group=cluster.x-k8s.io')).toContain('cluster.x-k8s.io/v1beta2');
    }));

  it('patches, labels, edits and scales, and loses nothing', () =>
    asUser(async kubectl => {
      const deployment = `machinedeployments.${older}/single`;
      // Only v1beta2 distinguishes false from an absent value.
      await kubectl('patch machinedeployment single --type=merge --patch={"spec":{"paused":false}}');
      await kubectl(
        `patch ${deployment} --type=merge --patch={"spec":{"template":{"spec":{"nodeDrainTimeout":"5s"}}}}`,
      );
      await kubectl(
        `patch ${deployment} --type=json --patch=[{"op":"add","path":"/spec/template/spec/nodeVolumeDetachTimeout","value":"7s"}]`,
      );
      await kubectl(`label ${deployment} edited=yes`);
      await kubectl(`scale ${deployment} --replicas=0 --current-replicas=0`);
      await kubectl(`edit ${deployment}`, undefined, { KUBE_EDITOR: 'sed -i s/5s/6s/' });
      const { metadata, spec } = JSON.parse(await kubectl('get machinedeployment single --output=json'));
      expect(metadata.labels).toMatchObject({ from: 'manifest', edited: 'yes' });
      expect(spec).toMatchObject({
        paused: false,
        deletion: { order: 'Oldest' },
        template: {
          spec: {
            deletion: { nodeDrainTimeoutSeconds: 6, nodeDeletionTimeoutSeconds: 20, nodeVolumeDetachTimeoutSeconds: 7 },
          },
        },
      });
      expect(metadata.annotations).not.toHaveProperty('cluster.x-k8s.io/conversion-data');
    }));

  it('refuses unknown fields and wrong values in the terms of v1beta1', () =>
    withKubectl(embeddedKubeconfigPath, async kubectl => {
      const answer = await kubectl(['apply', '--filename=-'], manifest.replace('class: old', 'classRef: {name: old}'));
      expect(answer).toMatchObject({ exitCode: 1 });
      expect(answer.stderr).toContain('unknown field "spec.topology.classRef"');
      const wrong = await kubectl(
        ['apply', '--filename=-'],
        manifest.replace('nodeDrainTimeout: 30s', 'nodeDrainTimeout: -30s'),
      );
      expect(wrong.stderr).toContain('spec.topology.workers.machineDeployments[0].nodeDrainTimeout: Invalid value');
    }));

  it('refuses a definition whose versions only a webhook converts, and says what to do', () =>
    withKubectl(embeddedKubeconfigPath, async kubectl => {
      const answer = await kubectl(['apply', '--filename=-'], JSON.stringify(foreignDefinition));
      expect(answer.stderr).toMatch(/calls no conversion webhooks.*set "served: false" on each version but .* v1beta2/);
    }));

  it('deletes in v1beta1', () =>
    asUser(async kubectl => {
      expect(await kubectl(`delete machinedeployments.${older} single`)).toContain('deleted');
      expect(await kubectl(`delete clusters.${older} old`)).toContain('deleted');
      expect(await kubectl(`get clusters.${older} --output=name`)).toBe('');
    }));
}

const expectText = (value: string | RegExp): unknown =>
  value instanceof RegExp ? expect.stringMatching(value) : value;

const versionOf = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
});

const foreignDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foreignclusters.infrastructure.cluster.x-k8s.io' },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'ForeignCluster', plural: 'foreignclusters' },
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://localhost/convert' } },
    },
    versions: [versionOf('v1beta1', false), versionOf('v1beta2', true)],
  },
};

type UserKubectl = (line: string, input?: string, env?: Readonly<Record<string, string>>) => Promise<string>;

/** Runs kubectl with a separate home folder. Every call must succeed. */
function asUser(use: (kubectl: UserKubectl) => Promise<void>): Promise<void> {
  return withKubectl(embeddedKubeconfigPath, (kubectl: Kubectl) =>
    use(async (line, input, env) => {
      const answer = await kubectl([...line.split(' '), '--namespace=default'], input, env);
      expect(answer, `kubectl ${line}: ${answer.stderr}`).toMatchObject({ exitCode: 0 });
      return answer.stdout;
    }),
  );
}
