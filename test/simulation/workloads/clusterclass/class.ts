// The lifecycle of a ClusterClass. It is created before its templates, and changed. Its provider is upgraded, and its
// extension stops and restarts.

import { type Intent, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { down, up } from '../../system/extensions.ts';
import type { SimulatedUser } from '../../system/user.ts';
import { conditionOf, home, namespaceNamed, toIntent, type Workload } from '../workload.ts';

const classRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'ClusterClass',
  namespace: home,
  name: 'class',
};
const extensionRef: ObjectRef = {
  apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
  kind: 'ExtensionConfig',
  name: 'ext',
};
const definitionRef: ObjectRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'simulatedmachinetemplates.infrastructure.cluster.x-k8s.io',
};
const contract = 'cluster.x-k8s.io/v1beta2';

const infrastructure = templateRef('infrastructure', 'SimulatedCluster', 'infra');
const controlPlane = templateRef('controlplane', 'SimulatedControlPlane', 'cp');
const machine = templateRef('infrastructure', 'SimulatedMachine', 'machine');
const nextMachine = templateRef('infrastructure', 'SimulatedMachine', 'next-machine');

export const clusterClass: Workload = {
  name: 'class',
  about:
    'A ClusterClass comes before its templates, changes, has a template replaced, sees its provider upgraded, and asks an extension that is down for a while',
  async script(user) {
    await user.create(namespaceNamed(home), aClass(), aTemplate(infrastructure), aTemplate(controlPlane));
    await user.create(aTemplate(machine));
    await untilSettled(user);
    await user.patch(classRef, { spec: { variables: [aVariable('b'), aVariable('a')] } });
    await untilSettled(user);
    await replaceMachine(user);
    await upgradeProvider(user);
    await askExtension(user);
    await user.patch(classRef, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await user.until('a paused class', classRef, object => conditionOf(object, 'Paused') === 'True');
    await user.patch(classRef, { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await user.until('a class that goes on', classRef, object => conditionOf(object, 'Paused') === 'False');
    await untilSettled(user);
  },
};

/** Templates are immutable: the class references a new one, and the old one is deleted. */
async function replaceMachine(user: SimulatedUser): Promise<void> {
  await user.create(aTemplate(nextMachine));
  await user.patch(classRef, {
    spec: { controlPlane: { machineInfrastructure: { templateRef: toName(nextMachine) } } },
  });
  await untilSettled(user);
  await user.delete(machine);
}

async function upgradeProvider(user: SimulatedUser): Promise<void> {
  await user.patch(definitionRef, { metadata: { labels: { [contract]: 'v1beta2_v1' } } });
  await user.until('an outdated reference', classRef, object => conditionOf(object, 'RefVersionsUpToDate') === 'False');
  await user.patch(definitionRef, { metadata: { labels: { [contract]: 'v1beta2' } } });
  await user.until('references up to date', classRef, object => conditionOf(object, 'RefVersionsUpToDate') === 'True');
}

async function askExtension(user: SimulatedUser): Promise<void> {
  const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
  await user.create({
    ...toIntent(extensionRef),
    spec: { clientConfig: { url: down }, namespaceSelector: {} },
    status: { handlers: [{ name: 'variables.ext', requestHook, failurePolicy: 'Fail' }] },
  });
  const external = { generatePatchesExtension: 'patches.ext', discoverVariablesExtension: 'variables.ext' };
  await user.patch(classRef, { spec: { patches: [{ name: 'p1', external }] } });
  await user.until('a failed discovery', classRef, object => conditionOf(object, 'VariablesReady') === 'False');
  await user.patch(extensionRef, { spec: { clientConfig: { url: up } } });
  await user.until('discovered variables', classRef, object => variablesOf(object).includes('discovered'));
  await untilSettled(user);
}

function untilSettled(user: SimulatedUser): Promise<void> {
  const isSettled = (object: Unstructured | undefined): boolean =>
    conditionOf(object, 'VariablesReady') === 'True' &&
    conditionOf(object, 'RefVersionsUpToDate') === 'True' &&
    valueAt(object?.status, 'observedGeneration') === object?.metadata.generation;
  return user.until('a settled class', classRef, isSettled);
}

function variablesOf(object: Unstructured | undefined): string {
  return JSON.stringify(valueAt(object?.status, 'variables') ?? []);
}

function templateRef(group: string, kind: string, name: string): ObjectRef {
  return { apiVersion: `${group}.cluster.x-k8s.io/v1beta2`, kind: `${kind}Template`, namespace: home, name };
}

function toName({ apiVersion, kind, name }: ObjectRef) {
  return { apiVersion, kind, name };
}

function aTemplate(ref: ObjectRef): Intent {
  return { ...toIntent(ref), spec: { template: { spec: {} } } };
}

function aVariable(name: string) {
  return { name, required: false, schema: { openAPIV3Schema: { type: 'string' } } };
}

function aClass(): Intent {
  return {
    ...toIntent(classRef),
    spec: {
      infrastructure: { templateRef: toName(infrastructure) },
      controlPlane: {
        templateRef: toName(controlPlane),
        machineInfrastructure: { templateRef: toName(machine) },
      },
    },
  };
}
