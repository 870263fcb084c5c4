// The builtin variables that patches may use.
// https://cluster-api.sigs.k8s.io/tasks/experimental-features/cluster-class/write-clusterclass#builtin-variables

const workers: readonly string[] = [
  '',
  'class',
  'name',
  'replicas',
  'topologyName',
  'version',
  'metadata.labels',
  'metadata.annotations',
  'bootstrap.configRef.name',
  'infrastructureRef.name',
];

const paths = {
  cluster: [
    '',
    'name',
    'namespace',
    'uid',
    'metadata.labels',
    'metadata.annotations',
    'topology',
    'topology.classRef.name',
    'topology.classRef.namespace',
    'topology.class',
    'topology.classNamespace',
    'topology.version',
    'network',
    'network.serviceDomain',
    'network.services',
    'network.pods',
  ],
  controlPlane: [
    '',
    'name',
    'replicas',
    'version',
    'metadata.labels',
    'metadata.annotations',
    'machineTemplate.infrastructureRef.name',
  ],
  machineDeployment: workers,
  machinePool: workers,
};

export const builtinVariables: ReadonlySet<string> = new Set(
  Object.entries(paths).flatMap(([group, below]) =>
    below.map(path => (path === '' ? `builtin.${group}` : `builtin.${group}.${path}`)),
  ),
);
