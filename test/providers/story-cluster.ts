// The Cluster of the stories, its class, and the changes of its topology. The class is upstream's for the in-memory backend.
import { type Intent, isJsonObject, memberOf } from '@capi-serverless/apimachinery';

export const namespace = 'default';
export const clusterName = 'story';
const worker = 'md-0';

/** What the stories change of a topology. */
export interface StoryTopology {
  readonly version: string;
  readonly controlPlane: number;
  readonly workers: number;
  /** The value of the variable. Every Machine has it in its bootstrap configuration. */
  readonly note: string;
  readonly paused: boolean;
}

export const firstTopology: StoryTopology = {
  version: 'v1.35.0',
  controlPlane: 1,
  workers: 1,
  note: 'first',
  paused: false,
};

/** The command by which the value of the variable is found in a bootstrap configuration. It is never run. */
export const commandOf = (note: string): string => `echo ${note}`;

const fieldOf = (path: string): string => `${path}/postKubeadmCommands`;
const valueFrom = { template: `- ${commandOf('{{ .note }}')}` };

/**
 * Returns the objects of the class with a variable and a patch of its own. They lose their external patches, because no
 * extension server runs, and the time that Machines take to start is a second.
 */
export function toStoryClass(objects: readonly Intent[]): readonly Intent[] {
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
  const { patches = [], variables = [] } = spec;
  const internal = patches.filter((patch: unknown) => memberOf(patch, 'external') === undefined);
  const selected = (part: unknown, matchResources: object) => {
    const { apiVersion, kind } = Object(memberOf(part, 'templateRef') ?? memberOf(part, 'ref'));
    return { apiVersion, kind, matchResources };
  };
  const [workers] = spec.workers.machineDeployments;
  const bootstrap = workers.bootstrap ?? workers.template.bootstrap;
  const definitions = [
    {
      selector: selected(spec.controlPlane, { controlPlane: true }),
      jsonPatches: [{ op: 'add', path: fieldOf('/spec/template/spec/kubeadmConfigSpec'), valueFrom }],
    },
    {
      selector: selected(bootstrap, { machineDeploymentClass: { names: [workers.class] } }),
      jsonPatches: [{ op: 'add', path: fieldOf('/spec/template/spec'), valueFrom }],
    },
  ];
  const note = { name: 'note', required: true, schema: { openAPIV3Schema: { type: 'string' } } };
  return {
    ...clusterClass,
    spec: { ...spec, variables: [...variables, note], patches: [...internal, { name: 'note', definitions }] },
  };
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

/** Returns the Cluster in this version of the API. */
export function aStoryCluster(version: 'v1beta1' | 'v1beta2', clusterClass: Intent, topology: StoryTopology): Intent {
  const { name } = clusterClass.metadata;
  const named = version === 'v1beta1' ? { class: name } : { classRef: { name } };
  const { topology: changed, paused } = toChange(clusterClass, topology);
  return {
    apiVersion: `cluster.x-k8s.io/${version}`,
    kind: 'Cluster',
    metadata: { namespace, name: clusterName },
    spec: {
      ...(paused === null ? {} : { paused }),
      clusterNetwork: {
        services: { cidrBlocks: ['10.128.0.0/12'] },
        pods: { cidrBlocks: ['192.168.0.0/16'] },
        serviceDomain: 'cluster.local',
      },
      topology: { ...named, ...changed },
    },
  };
}

/** Returns the merge patch of `spec`, the same in both versions of the API. */
export function toChange(clusterClass: Intent, topology: StoryTopology) {
  const { version, controlPlane, workers, note, paused } = topology;
  const [workerClass] = Object(clusterClass['spec']).workers.machineDeployments;
  return {
    // v1beta1 does not store `false`.
    paused: paused ? true : null,
    topology: {
      version,
      controlPlane: { replicas: controlPlane },
      workers: { machineDeployments: [{ class: String(workerClass.class), name: worker, replicas: workers }] },
      variables: [{ name: 'note', value: note }],
    },
  };
}
