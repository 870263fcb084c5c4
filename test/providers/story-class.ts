// The classes of the stories: upstream's class for the in-memory backend with a variable and a patch, and one that also
// uses upstream's test extension.
import { type Intent, isJsonObject, memberOf, toRef } from '@capi-serverless/apimachinery';
import type { WorldClient } from '../support/world-client.ts';
import type { RunningExtension, UpstreamProviders } from '../upstream-providers/providers.ts';
import { clusterName, namespace, type StoryClass, type StoryTopology } from './story-cluster.ts';
import { until } from './until.ts';

/** The command by which the value of the variable is found in a bootstrap configuration. It is never run. */
export const commandOf = (note: string): string => `echo ${note}`;

/** The command in the bootstrap configurations of the second template. It is never run. */
export const secondCommand = 'echo second template';

/** Creates the class and its templates. */
export async function createStoryClass(client: WorldClient, { clusterClass }: UpstreamProviders): Promise<StoryClass> {
  const objects = toStoryClass(clusterClass);
  const object = objects.find(({ kind }) => kind === 'ClusterClass');
  if (object === undefined) {
    throw new Error('The file of upstream has no ClusterClass');
  }
  for (const each of objects) {
    await createWhenAnswered(client, each);
  }
  return { object, variables: [], labels: {} };
}

/** An API server uses changed webhook configurations and CRDs a moment later. */
async function createWhenAnswered({ create }: WorldClient, object: Intent): Promise<void> {
  await until('have a class', async () => {
    try {
      await create(object);
      return undefined;
    } catch (error) {
      if (/failed calling webhook|conversion webhook/.test(String(error))) {
        return String(error);
      }
      throw error;
    }
  });
}

/** Returns the objects with a variable and a patch. The time that Machines take to start is a second. */
function toStoryClass(objects: readonly Intent[]): readonly Intent[] {
  const storyClass = objects.map(object => {
    const { metadata, ...rest } = quickened(object) as Intent; // True: only values inside are changed.
    const inNamespace = { ...rest, metadata: { ...metadata, namespace } };
    return object.kind === 'ClusterClass' ? withVariable(inNamespace) : inNamespace;
  });
  return [...storyClass, drainNoPods];
}

/** The API server of the in-memory backend serves no evictions. */
const drainNoPods: Intent = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDrainRule',
  metadata: { namespace, name: 'no-pods' },
  spec: { drain: { behavior: 'Skip' } },
};

function withVariable(clusterClass: Intent): Intent {
  const spec = Object(clusterClass['spec']);
  const selected = (part: unknown, matchResources: object) => {
    const { apiVersion, kind } = Object(memberOf(part, 'templateRef'));
    return { apiVersion, kind, matchResources };
  };
  const patchAt = (path: string) => {
    const valueFrom = { template: `- ${commandOf('{{ .note }}')}` };
    return [{ op: 'add', path: `${path}/postKubeadmCommands`, valueFrom }];
  };
  const [workers] = spec.workers.machineDeployments;
  const definitions = [
    {
      selector: selected(spec.controlPlane, { controlPlane: true }),
      jsonPatches: patchAt('/spec/template/spec/kubeadmConfigSpec'),
    },
    {
      selector: selected(workers.bootstrap, { machineDeploymentClass: { names: [workers.class] } }),
      jsonPatches: patchAt('/spec/template/spec'),
    },
  ];
  const note = { name: 'note', required: true, schema: { openAPIV3Schema: { type: 'string' } } };
  return { ...clusterClass, spec: { ...spec, variables: [note], patches: [{ name: 'note', definitions }] } };
}

const quick: Readonly<Record<string, unknown>> = { startupDuration: '1s', startupJitter: '0' };

/** Also removes nulls, as kubectl does. */
function quickened(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(quickened);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, quick[name] ?? quickened(field)]));
}

/** Makes the workers of the class use this template. The second one is created if it is missing. */
export async function useTemplate(
  { create, patch, read }: WorldClient,
  { object }: StoryClass,
  template: StoryTopology['template'],
): Promise<void> {
  const { workers } = Object(object['spec']);
  const [deployment] = workers.machineDeployments;
  const first = { ...deployment.bootstrap.templateRef, namespace };
  const second = { ...first, name: `${first.name}-2` };
  const stored = await read(first);
  if (stored === undefined) {
    throw new Error(`There is no template ${first.name}`);
  }
  if ((await read(second)) === undefined) {
    const { template: contents } = Object(stored.spec);
    const spec = { template: { ...contents, spec: { ...contents.spec, preKubeadmCommands: [secondCommand] } } };
    const { apiVersion, kind, name } = second;
    await create({ apiVersion, kind, metadata: { namespace, name }, spec });
  }
  const { apiVersion, kind, name } = template === 'first' ? first : second;
  const bootstrap = { templateRef: { apiVersion, kind, name } };
  await patch(toRef(object), { spec: { workers: { machineDeployments: [{ ...deployment, bootstrap }] } } });
}

const extensionName = 'test-extension';

/** The ConfigMap in which the extension stores the calls of lifecycle hooks for the Cluster. */
export const hookCalls = `${clusterName}-${extensionName}-test-extension-hookresponses`;

/**
 * Registers the extension, and creates a class that uses it, beside the first one and with the same templates. It has a list
 * of versions, replaces workers one by one without more of them, finds failed Nodes after a minute, and applies a ConfigMap
 * to its Clusters.
 */
export async function createExtendedClass(
  client: WorldClient,
  { object }: StoryClass,
  { clientConfig }: RunningExtension,
): Promise<StoryClass> {
  await client.create({
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    metadata: { name: extensionName },
    spec: {
      clientConfig,
      settings: { extensionConfigName: extensionName },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    },
  });
  const labels = { resources: 'extended' };
  for (const each of toResources(labels)) {
    await client.create(each);
  }
  const extended = toExtended(object);
  await createWhenAnswered(client, extended);
  return { object: extended, variables: [{ name: 'imageRepository', value: 'registry.test' }], labels };
}

function toExtended({ metadata, spec, ...rest }: Intent): Intent {
  const { patches, workers, ...others } = Object(spec);
  const [deployment] = workers.machineDeployments;
  const conditions = ['Unknown', 'False'].map(status => ({ type: 'Ready', status, timeoutSeconds: 60 }));
  const external = {
    generatePatchesExtension: `generate-patches.${extensionName}`,
    validateTopologyExtension: `validate-topology.${extensionName}`,
    discoverVariablesExtension: `discover-variables.${extensionName}`,
  };
  return {
    ...rest,
    metadata: { ...metadata, name: 'extended' },
    spec: {
      ...others,
      kubernetesVersions: ['v1.34.0', 'v1.35.0', 'v1.36.0'],
      patches: [...patches, { name: 'extension', external }],
      workers: {
        machineDeployments: [
          {
            ...deployment,
            healthCheck: { checks: { unhealthyNodeConditions: conditions } },
            rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
          },
        ],
      },
    },
  };
}

function toResources(matchLabels: Readonly<Record<string, string>>): readonly Intent[] {
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'applied' }, data: { a: 'b' } };
  const name = 'story-resources';
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name },
      data: { 'map.json': JSON.stringify(applied) },
    },
    {
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata: { namespace, name },
      spec: { clusterSelector: { matchLabels }, resources: [{ kind: 'ConfigMap', name }], strategy: 'ApplyOnce' },
    },
  ];
}

/** Removes the class and its extension. */
export async function removeExtendedClass({ remove }: WorldClient, { object }: StoryClass): Promise<void> {
  await remove(toRef(object));
  await remove({ apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: extensionName });
}
