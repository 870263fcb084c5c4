// Random Clusters with a topology, ClusterClasses and ExtensionConfigs.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { fc } from '../../support/property.ts';

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
/** Most values have no mistake, so that several are rarely wrong at once. */
const mostly = <T, U>(good: fc.Arbitrary<T>, any: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: any });
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
export const infrastructure = 'infrastructure.cluster.x-k8s.io/v1';

const templateRef = (kind: string) =>
  mostly(
    fc.constant({ apiVersion: infrastructure, kind, name: 't' }),
    fc.record({
      apiVersion: fc.constantFrom(infrastructure, 'other.io/v1', 'a/b/c', ''),
      kind: fc.constantFrom(kind, 'OtherTemplate', 'Template', 'Wrong', ''),
      name: fc.constantFrom('t', ''),
    }),
  );
const templated = (kind: string) => templateRef(kind).map(ref => ({ templateRef: ref }));

const amount = mostly(fc.constantFrom<string | number>(0, 1, '0%', '25%'), fc.constantFrom('1', 'abc', 'x%'));
const rollingUpdate = fc.record({ maxSurge: amount, maxUnavailable: amount }, { requiredKeys: [] });
const rollout = rollingUpdate.map(limits => ({ strategy: { type: 'RollingUpdate', rollingUpdate: limits } }));
const healthCheck = fc.record(
  {
    enabled: fc.boolean(),
    checks: fc.record({ nodeStartupTimeoutSeconds: fc.constantFrom(0, 1, 30, 600) }),
    remediation: fc.record(
      { maxInFlight: amount, triggerIf: amount.map(unhealthyLessThanOrEqualTo => ({ unhealthyLessThanOrEqualTo })) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
/** The checks of a control plane have no limit of Machines. */
const ofControlPlane = (check: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  check.map(of => JSON.parse(JSON.stringify(of, (name, value) => (name === 'maxInFlight' ? undefined : value))));
/** The checks of a class have no switch. */
const classHealthCheck = healthCheck.map(({ enabled: _, ...rest }) => rest);
const taints = fc.array(
  fc.record({
    key: fc.constantFrom('some/taint', 'node.kubernetes.io/unreachable', 'node-role.kubernetes.io/control-plane', '/b'),
    effect: fc.constant('NoSchedule'),
    propagation: fc.constant('Always'),
  }),
  { minLength: 1, maxLength: 2 },
);
/** At most one wrong key and value, because upstream walks maps in random order. */
const metadata = fc.record(
  {
    labels: mostly(
      fc.constant({ a: 'b' }),
      fc.constantFrom<Record<string, string>>({ '-x': 'b' }, { a: 'x y' }, { '/y': '' }),
    ),
    annotations: mostly(
      fc.constantFrom<Record<string, string>>({ a: 'b' }, { [`${size}-min-size`]: '1' }),
      fc.constantFrom<Record<string, string>>({ '-x': 'b' }, { '/y': '' }),
    ),
  },
  { requiredKeys: [] },
);
const naming = fc.constantFrom(
  '{{ .cluster.name }}-{{ .random }}',
  '{{ .cluster.name }}',
  '{{ .machineDeployment.topologyName }}',
  '{{ .nope }}',
  'A{{ .random }}',
  '{{',
);

const classNames = ['worker', 'other', 'third'];
const workerClass = (kind: 'machineDeployments' | 'machinePools') =>
  fc.record(
    {
      class: fc.constantFrom(...classNames),
      metadata,
      bootstrap: templated('AConfigTemplate'),
      infrastructure: templated('AMachineTemplate'),
      naming: naming.map(template => ({ template })),
      taints,
      ...(kind === 'machineDeployments' ? { rollout, healthCheck: classHealthCheck } : {}),
    },
    { requiredKeys: ['class', 'bootstrap', 'infrastructure'] },
  );

const schema = fc.constantFrom<JsonObject>(
  { type: 'string' },
  { type: 'string', default: 'x', minLength: 1 },
  { type: 'string', minLength: 3, default: 'x' },
  { type: 'integer', minimum: 1, default: 2 },
  { type: 'integer', minimum: 1, maximum: 0 },
  { type: 'string', pattern: '(' },
  { type: 'string', enum: ['a', 'b'], default: 'a' },
  { type: 'object', properties: { b: { type: 'string', default: 'y' } } },
  { type: 'object', properties: { b: { type: 'nope' } } },
  { type: 'array', items: { type: 'string' } },
  { type: 'array' },
  { type: '' },
  { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > 0', message: 'must not be empty' }] },
  { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.nope() > 0' }] },
);
const variable = fc.record({
  name: mostly(fc.constantFrom('a', 'b'), fc.constantFrom('', 'builtin', 'a.b')),
  required: fc.boolean(),
  schema: schema.map(openAPIV3Schema => ({ openAPIV3Schema })),
});

const valueFrom = fc.constantFrom<JsonObject>(
  { variable: 'a' },
  { variable: 'nope' },
  { variable: 'builtin.cluster.name' },
  { variable: 'builtin.nope' },
  { template: '{{ .a }}' },
  { template: '{{' },
  { variable: 'a', template: 'b' },
);
const jsonPatch = fc.record(
  {
    op: fc.constantFrom('add', 'replace', 'remove'),
    path: mostly(
      fc.constantFrom('/spec/a', '/spec/a/-', '/spec/a/0'),
      fc.constantFrom('/metadata/a', '/spec/a/1', 'spec', '/spec'),
    ),
    value: fc.constantFrom('x', 1, { a: 'b' }),
    valueFrom,
  },
  { requiredKeys: ['op', 'path'] },
);
const matchResources = fc.record(
  {
    controlPlane: fc.boolean(),
    infrastructureCluster: fc.boolean(),
    machineDeploymentClass: fc.record({ names: fc.constantFrom(['worker'], ['w*'], ['*'], ['*r*'], ['x']) }),
    machinePoolClass: fc.record({ names: fc.constantFrom(['worker'], ['x']) }),
  },
  { requiredKeys: [] },
);
const definition = fc.record({
  selector: fc.record({
    apiVersion: mostly(fc.constant(infrastructure), fc.constant('other.io/v1')),
    kind: fc.constantFrom('AClusterTemplate', 'AControlPlaneTemplate', 'AMachineTemplate', 'AConfigTemplate', 'No'),
    matchResources,
  }),
  jsonPatches: fc.array(jsonPatch, { minLength: 1, maxLength: 2 }),
});
const patch = fc.record(
  {
    name: mostly(fc.constantFrom('p', 'q'), fc.constantFrom('', 'inline')),
    enabledIf: fc.constantFrom('{{ .a }}', '{{', '{{ if }}'),
    definitions: fc.array(definition, { minLength: 1, maxLength: 2 }),
    external: fc.record(
      {
        generatePatchesExtension: fc.constant('g.ext'),
        validateTopologyExtension: fc.constant('v.ext'),
        discoverVariablesExtension: fc.constant('d.ext'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['name'] },
);

const clusterClass = fc.record(
  {
    infrastructure: fc
      .tuple(templated('AClusterTemplate'), rarely(naming))
      .map(([of, template]) => ({ ...of, naming: template && { template } })),
    controlPlane: fc.record(
      {
        templateRef: templateRef('AControlPlaneTemplate'),
        machineInfrastructure: templated('AMachineTemplate'),
        metadata,
        healthCheck: ofControlPlane(classHealthCheck),
        naming: naming.map(template => ({ template })),
        taints,
      },
      { requiredKeys: ['templateRef'] },
    ),
    workers: fc.record(
      {
        machineDeployments: fc.array(workerClass('machineDeployments'), { minLength: 1, maxLength: 3 }),
        machinePools: fc.array(workerClass('machinePools'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    variables: rarely(fc.array(variable, { minLength: 1, maxLength: 2 })),
    patches: rarely(fc.array(patch, { minLength: 1, maxLength: 2 })),
    kubernetesVersions: rarely(
      fc.array(mostly(fc.constantFrom('v1.33.0', 'v1.34.0', 'v1.35.0'), fc.constantFrom('1.34', 'x', 'v1.34.0+b')), {
        minLength: 1,
        maxLength: 3,
      }),
    ),
  },
  { requiredKeys: ['infrastructure', 'controlPlane'] },
);

const value = fc.constantFrom<unknown>('x', 'y', '', 1, 0, 7, true, null, { b: 'z' }, { c: 1 }, ['a']);
const variableValues = fc.uniqueArray(
  fc.record({ name: mostly(fc.constantFrom('text', 'count', 'part'), fc.constant('nope')), value }),
  { selector: ({ name }) => name, maxLength: 3 },
);
const worker = fc.record(
  {
    class: mostly(fc.constant('worker'), fc.constant('nope')),
    name: mostly(fc.constantFrom('md', 'other'), fc.constantFrom('A', 'x'.repeat(64), 'a b', '')),
    replicas: fc.constantFrom(0, 3),
    metadata,
    rollout,
    taints,
    healthCheck: rarely(healthCheck),
    variables: variableValues.map(overrides => ({ overrides })),
  },
  { requiredKeys: ['class', 'name'] },
);
const pool = fc.record(
  {
    class: mostly(fc.constant('pool'), fc.constant('nope')),
    name: mostly(fc.constantFrom('mp', 'other'), fc.constant('')),
    ...{ metadata, taints: rarely(taints), variables: variableValues.map(overrides => ({ overrides })) },
  },
  { requiredKeys: ['class', 'name'] },
);
/** Upstream waits two seconds for each class that is missing or not reconciled, so they are very rare. */
const classRef = fc.oneof(
  { weight: 4_000, arbitrary: fc.constant({ name: 'cc' }) },
  { weight: 300, arbitrary: fc.constant({ name: 'other' }) },
  { weight: 100, arbitrary: fc.constant({ name: 'cc', namespace: 'default' }) },
  { weight: 30, arbitrary: fc.constant({ name: '' }) },
  { weight: 1, arbitrary: fc.constantFrom({ name: 'none' }, { name: 'unready' }, { name: 'cc', namespace: 'none' }) },
);
const topology = fc.record(
  {
    classRef,
    version: mostly(
      fc.constantFrom('v1.34.1', '1.34.1', 'v1.35.0', 'v1.36.0'),
      fc.constantFrom('v1', 'wrong', 'v1.33.0'),
    ),
    controlPlane: fc.record(
      {
        ...{ replicas: fc.constantFrom(1, 3), metadata, healthCheck: rarely(ofControlPlane(healthCheck)) },
        ...{ taints: rarely(taints), variables: rarely(variableValues.map(overrides => ({ overrides }))) },
      },
      { requiredKeys: [] },
    ),
    workers: fc.record(
      {
        machineDeployments: fc.array(worker, { maxLength: 2 }),
        machinePools: fc.array(pool, { maxLength: 1 }),
      },
      { requiredKeys: [] },
    ),
    variables: variableValues,
  },
  { requiredKeys: ['classRef', 'version'] },
);
const cidrBlocks = fc.array(mostly(fc.constantFrom('10.0.0.0/16', 'fd00::/48'), fc.constantFrom('10.0.0.0', 'x/8')), {
  minLength: 1,
  maxLength: 2,
});
const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'AControlPlane', name: 'cp' };
const cluster = fc.record(
  {
    clusterNetwork: fc.record(
      {
        pods: cidrBlocks.map(blocks => ({ cidrBlocks: blocks })),
        services: cidrBlocks.map(blocks => ({ cidrBlocks: blocks })),
      },
      { requiredKeys: [] },
    ),
    controlPlaneRef: fc.constant(controlPlaneRef),
    infrastructureRef: fc.constant({ apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'ACluster', name: 'i' }),
    topology: mostly(topology, fc.constant(undefined)),
  },
  { requiredKeys: ['topology'] },
);

const service = fc.record(
  {
    name: mostly(fc.constant('ext'), fc.constantFrom('1x', 'A', '', 'x'.repeat(64))),
    namespace: mostly(fc.constant('ns'), fc.constantFrom('A', '', 'a.b')),
    path: mostly(fc.constantFrom('/x', '/'), fc.constantFrom('x', 'https://h/x')),
    port: mostly(fc.constantFrom(443, 8443), fc.constantFrom(0, 65_536)),
  },
  { requiredKeys: ['name', 'namespace'] },
);
const selectors = fc.constantFrom<JsonObject>(
  {},
  { matchLabels: { a: 'b' } },
  { matchLabels: { '/a': 'b' } },
  { matchExpressions: [{ key: 'a', operator: 'Like' }] },
  { matchExpressions: [{ key: 'a', operator: 'In' }] },
);
const extensionConfig = fc.record(
  {
    clientConfig: mostly(
      fc.oneof(
        service.map(of => ({ service: of })),
        fc.constant({ url: 'https://example.com/x' }),
      ),
      fc.record({ url: fc.constantFrom('http://x', 'x', '/x', '', 'ftp://x/y'), service: maybe(service) }),
    ),
    namespaceSelector: selectors,
    settings: fc.constant({ a: 'b' }),
  },
  { requiredKeys: ['clientConfig'] },
);

export const topologySpecs: Readonly<Record<string, fc.Arbitrary<object>>> = {
  Cluster: cluster,
  ClusterClass: clusterClass,
  ExtensionConfig: extensionConfig,
};
