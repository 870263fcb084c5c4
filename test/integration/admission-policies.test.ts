// The functions on a real API server whose admission policies set the defaults and check all kinds, without a webhook. The
// kustomizations are applied as docs/admission-policies.md says.
import path from 'node:path';
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { defaultPolicies } from '../../infra/kubernetes/admission-policies/default-policies.ts';
import { policyKinds } from '../../infra/kubernetes/admission-policies/policy-check.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { declareMissing } from '../support/describe-part.ts';
import { describeReal } from '../support/describe-real.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { errorsOf, startLocalRun } from '../support/local-run.ts';
import { commandsOf } from '../support/page-commands.ts';
import { aValid } from '../support/policies/written-objects.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const page = 'docs/admission-policies.md';
const examples = ['cluster-with-machines.yaml', 'topology/cluster-class.yaml', 'topology/cluster.yaml'];
const clusterName = 'cluster.x-k8s.io/cluster-name';

const problem = kubectlProblem();
if (problem === undefined) {
  describeReal('admission policies', holdPolicies);
} else {
  declareMissing('admission policies', problem);
}

function holdPolicies(): void {
  let plane: RealControlPlane;
  let client: WorldClient;

  beforeAll(async () => {
    plane = await startControlPlane();
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
  });

  afterAll(() => plane?.stop());

  async function run(command: string): Promise<void> {
    const [, verb = '', option = '', folder = ''] = command.split(' ');
    await withKubectl(plane.kubeconfigPath('admin'), async kubectl => {
      const { exitCode, stderr } = await kubectl([verb, option, path.join(projectRoot, folder)]);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
    });
  }

  it('are applied by the commands of their page', async () => {
    const commands = commandsOf(page).filter(({ command }) => command.startsWith('kubectl apply -k '));
    expect(commands).toHaveLength(2);
    for (const { command } of commands) {
      await run(command);
    }
    // An API server uses new policies about a second after their creation.
    await vi.waitFor(
      async () => {
        for (const [kind] of defaultPolicies) {
          await expectDefaults(kind);
        }
      },
      { timeout: 300_000, interval: 200 },
    );
  });

  async function expectDefaults(kind: keyof typeof policyKinds): Promise<void> {
    const { strategy: _, ...spec } = aValid(kind)['spec'] as Readonly<Record<string, unknown>>; // True: it is a written object.
    const object: Intent = {
      apiVersion: `${policyKinds[kind].group}/v1beta2`,
      kind,
      metadata: { name: 'probe', namespace: 'default' },
      spec,
    };
    const { metadata, spec: stored } = (await client.create(object)) as Unstructured & { readonly spec: object }; // True: it has one.
    await client.remove({ apiVersion: object.apiVersion, kind, namespace: 'default', name: 'probe' });
    expect(kind === 'ClusterResourceSet' ? stored : metadata.labels).toMatchObject(
      kind === 'ClusterResourceSet' ? { strategy: 'ApplyOnce' } : { [clusterName]: 'c1' },
    );
  }

  it('accept all that the functions write for Clusters with Machines, with and without a topology', async () => {
    const files = examples.flatMap(file => ['--apply', `examples/${file}`]);
    const kubeconfig = plane.kubeconfigPath('admin');
    const local = startLocalRun({
      args: ['--kubeconfig', kubeconfig, '--json', ...files, '--exit-when-ready', '--timeout', '500'],
    });
    expect(await local.ended, errorsOf(local)).toBe(0);
    expect(errorsOf(local)).not.toContain('AdmissionPolicy');
  });

  it('accept another write of each object that the functions have written', async () => {
    const kinds = ['Machine', 'MachineSet', 'MachineDeployment', 'MachinePool', 'MachineHealthCheck'] as const;
    for (const kind of kinds) {
      const answer = await client.kubernetes.list({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind });
      const objects = answer.ok ? answer.value : [];
      expect(objects.length, kind).toBeGreaterThan(0);
      for (const { apiVersion, metadata } of objects) {
        const ref = { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name };
        await client.patch(ref, { metadata: { annotations: { touched: 'true' } } });
      }
    }
  });

  it('are deleted by the commands of their page', async () => {
    const commands = commandsOf(page).filter(({ command }) => command.startsWith('kubectl delete -k '));
    expect(commands).toHaveLength(2);
    for (const { command } of commands) {
      await run(command);
    }
    const [kind, apiVersion] = ['ValidatingAdmissionPolicy', 'admissionregistration.k8s.io/v1'];
    const left = await client.kubernetes.list({ apiVersion, kind });
    expect(left.ok && left.value.filter(({ metadata }) => metadata.name.endsWith('capi-serverless.dev'))).toEqual([]);
  });
}
