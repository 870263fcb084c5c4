// Random objects of the core kinds: valid ones, and ones with each kind of mistake. The types of their fields are right,
// because an API server refuses other types before it asks a webhook.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { fc } from '../../support/property.ts';
import { topologySpecs } from './generated-topologies.ts';
import { topologyObjects } from './topology-objects.ts';

/** Leaves a field out in some objects. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

/** Most objects have no mistake at a field, so that several fields are rarely wrong at once. */
const mostly = <T, U>(good: fc.Arbitrary<T>, any: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: any });

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Without members that are undefined. */
const toJson = (object: object): JsonObject => JSON.parse(JSON.stringify(object));

const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';

const clusterName = mostly(fc.constant('c1'), fc.constant('c2'));
const version = mostly(
  fc.constantFrom('v1.34.1', '1.34.1', 'v1.35.0-alpha.1', 'v1.34.0+vendor.1'),
  fc.constantFrom(
    ...['v1', 'vv1.34.0', 'V1.34.0', 'v01.2.3', 'v1.2.3-01', 'v1.34.0++', 'wrong', 'v1.2.3-a..b', 'v1.2.3-', '\u00e9'],
    'v18446744073709551616.0.0',
  ),
);
const reference = fc.record(
  { apiGroup: fc.constantFrom('g.io', ''), kind: fc.constantFrom('K', ''), name: fc.constantFrom('n', '') },
  { requiredKeys: [] },
);
const bootstrap = mostly(
  fc.constant({ dataSecretName: 's' }),
  fc.record({ dataSecretName: fc.constantFrom('s', ''), configRef: reference }, { requiredKeys: [] }),
);
const keys = fc.constantFrom(
  'a',
  'foo',
  'a.b/c',
  clusterNameLabel,
  '-x',
  '/y',
  'p/q/r',
  'z'.repeat(64),
  'Up_1',
  '\u00fc/x',
);
const values = fc.constantFrom('', 'b', 'bar', 'c1', '-', 'x y', 'v'.repeat(64), '<&>"\\');
const labels = fc.dictionary(keys, values, { maxKeys: 3 });
const goodLabels = fc.dictionary(fc.constantFrom('a', 'foo', 'a.b/c'), fc.constantFrom('', 'b', 'bar'), { maxKeys: 3 });
const expression = fc.record(
  {
    key: fc.oneof(fc.constantFrom('a', 'foo'), keys, fc.constant('')),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Like', ''),
    values: fc.array(values, { maxLength: 3 }),
  },
  { requiredKeys: ['key', 'operator'] },
);
/** At most one is wrong, because upstream reports the first wrong one in random order. */
const selectedLabels = fc
  .tuple(goodLabels, maybe(fc.tuple(keys, values)))
  .map(([good, any]) => ({ ...good, ...(any === undefined ? {} : { [any[0]]: any[1] }) }));
const templateLabels = { a: 'b', foo: 'bar' };
const matching = fc.record(
  {
    matchLabels: fc.subarray(Object.entries(templateLabels)).map(entries => Object.fromEntries(entries)),
    matchExpressions: fc.subarray([
      { key: 'foo', operator: 'In', values: ['x', 'bar'] },
      { key: 'a', operator: 'Exists' },
      { key: 'z', operator: 'DoesNotExist' },
      { key: 'z', operator: 'NotIn', values: ['b'] },
    ]),
  },
  { requiredKeys: [] },
);
const selector = mostly(
  matching,
  fc.record(
    { matchLabels: selectedLabels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
);
const number = mostly(fc.constantFrom('3', '7', '-1', '+2'), fc.constantFrom('abc', '', '99999999999', '1_0', ' 3'));
const annotations = fc.record(
  {
    [`${size}-min-size`]: number,
    [`${size}-max-size`]: number,
    'machineset.cluster.x-k8s.io/skip-preflight-checks': mostly(
      fc.constantFrom('', 'All', 'KubeadmVersionSkew, ControlPlaneIsStable'),
      fc.constantFrom('All,', 'KubeadmVersionSkew, nope', 'x'),
    ),
    '/note': fc.constant('x'),
    'topology.cluster.x-k8s.io/upgrade-concurrency': rarely(
      fc.constantFrom('1', '+3', '0', '-1', 'x', '', '9223372036854775807', '9223372036854775808'),
    ),
    'unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check': rarely(fc.constant('')),
    'unsafe.topology.cluster.x-k8s.io/disable-update-version-check': rarely(fc.constant('')),
    'runtime.cluster.x-k8s.io/pending-hooks': rarely(fc.constantFrom('AfterClusterUpgrade', 'BeforeClusterUpgrade')),
  },
  { requiredKeys: [] },
);
const template = mostly(
  fc.constant({ labels: templateLabels }),
  fc.record(
    { labels: fc.oneof(goodLabels, labels), annotations: fc.dictionary(keys, fc.constant('x'), { maxKeys: 2 }) },
    { requiredKeys: [] },
  ),
);
const taints = fc.array(
  fc.record({
    key: fc.constantFrom(
      ...['some/taint', 'node.kubernetes.io/out-of-service', 'node.kubernetes.io/unreachable', 'a'.repeat(64), '/b'],
      ...[
        'node.cluster.x-k8s.io/uninitialized',
        'node.cloudprovider.kubernetes.io/x',
        'node-role.kubernetes.io/master',
      ],
      'node-role.kubernetes.io/control-plane',
    ),
    effect: fc.constant('NoSchedule'),
    propagation: fc.constant('Always'),
  }),
  { minLength: 1, maxLength: 2 },
);
const deletion = fc.record(
  { nodeDeletionTimeoutSeconds: fc.constantFrom(0, 5), nodeDrainTimeoutSeconds: fc.constant(1) },
  { requiredKeys: [] },
);
const amount = mostly(
  fc.constantFrom<string | number>(0, 1, -1, '0%', '25%', '+5%'),
  fc.constantFrom('1', 'abc', 'x%', '%'),
);
const naming = fc.constantFrom(
  ...[
    '{{ .machineSet.name }}-{{ .random }}',
    '{{.random}}',
    '{{ .machineSet.name }}',
    '{{ .random }}-{{ .cluster.nam }}',
  ],
  ...[
    '{{ .random }}-',
    'A{{ .random }}',
    '{{ .random }}{{',
    `${'a'.repeat(70)}{{ .random }}`,
    '{{ .random }}{{ upper "a" }}',
  ],
);
const infrastructureRef = fc.constant({ apiGroup: 'infrastructure.example.io', kind: 'AMachine', name: 'i' });
const machineSpec = fc.record({
  clusterName,
  bootstrap,
  infrastructureRef,
  version: maybe(version),
  taints: rarely(taints),
  deletion: maybe(deletion),
});
const machineTemplate = fc.record({ metadata: mostly(template, fc.constant(undefined)), spec: machineSpec });
const replicas = maybe(fc.constantFrom(0, 1, 5, -1, 10));
const machineNaming = rarely(naming.map(text => ({ template: text })));

const specs: Readonly<Record<string, fc.Arbitrary<object>>> = {
  ...topologySpecs,
  Machine: machineSpec,
  MachineSet: fc.record({ clusterName, replicas, selector: maybe(selector), template: machineTemplate, machineNaming }),
  MachineDeployment: fc.record({
    ...{ clusterName, replicas, selector: maybe(selector), template: machineTemplate, machineNaming },
    rollout: maybe(
      fc.record({
        strategy: fc.record(
          {
            type: fc.constantFrom('RollingUpdate', 'OnDelete', ''),
            rollingUpdate: fc.record({ maxSurge: amount, maxUnavailable: amount }, { requiredKeys: [] }),
          },
          { requiredKeys: [] },
        ),
      }),
    ),
    remediation: rarely(amount.map(maxInFlight => ({ maxInFlight }))),
  }),
  MachinePool: fc.record({ clusterName, replicas, template: machineTemplate }),
  MachineHealthCheck: fc.record({
    clusterName,
    selector: maybe(selector),
    checks: maybe(fc.record({ nodeStartupTimeoutSeconds: maybe(fc.constantFrom(0, 1, 29, 30, 600)) })),
    remediation: maybe(amount.map(unhealthyLessThanOrEqualTo => ({ triggerIf: { unhealthyLessThanOrEqualTo } }))),
  }),
  MachineDrainRule: fc.record({
    drain: fc.record({
      behavior: fc.constantFrom('Drain', 'Skip', 'WaitCompleted'),
      order: maybe(fc.constantFrom(0, 5)),
    }),
    machines: maybe(
      fc.array(fc.record({ selector: maybe(selector), clusterSelector: maybe(selector) }), { maxLength: 2 }),
    ),
    pods: maybe(
      fc.array(fc.record({ selector: maybe(selector), namespaceSelector: maybe(selector) }), { maxLength: 2 }),
    ),
  }),
  ClusterResourceSet: fc.record({
    clusterSelector: fc.oneof(selector, fc.constant({ matchLabels: { a: 'b' } })),
    strategy: maybe(fc.constantFrom('', 'ApplyOnce', 'Reconcile')),
    resources: fc.constant([{ kind: 'Secret', name: 's' }]),
  }),
  ClusterResourceSetBinding: fc.record({ clusterName: maybe(fc.constantFrom('', 'c1', 'c2')) }),
  IPAddress: fc.record({
    claimRef: fc.record({ name: fc.constantFrom('claim', 'missing') }),
    poolRef: fc.record({
      apiGroup: fc.constantFrom('ipam.io', 'x.io'),
      kind: fc.constant('Pool'),
      name: fc.constantFrom('p', 'q'),
    }),
    address: fc.constantFrom(
      ...[
        '10.0.0.1',
        '42',
        '42::1',
        '10.0.0.01',
        '10.0.0.1/8',
        '::ffff:10.0.0.1',
        'fe80::1%eth0',
        'fe80::1%',
        '',
        '1.2.3',
      ],
      ...[
        '10.0.0.1%eth0',
        '::',
        '1::2::3',
        '::ffff:10.0.0.1%z',
        '256.0.0.1',
        '1:2:3:4:5:6:7:8',
        '::FFFF',
        '1:2:3:4:5:6:7::',
      ],
    ),
    prefix: maybe(fc.constantFrom(0, 24, 32, 33, 64, 128, 129, -1)),
    gateway: maybe(fc.constantFrom('', '10.0.0.254', 'x', '42::2')),
  }),
  IPAddressClaim: fc.record({
    poolRef: fc.record({
      apiGroup: fc.constant('ipam.io'),
      kind: fc.constant('Pool'),
      name: fc.constantFrom('p', 'q'),
    }),
    clusterName: maybe(clusterName),
  }),
};

export interface GeneratedWrite {
  readonly object: JsonObject;
  /** `undefined` for a new object. */
  readonly old: JsonObject | undefined;
  /** A field of its spec has a wrong type. A schema refuses it after the default hook. */
  readonly isBroken: boolean;
}

/** What the hooks read: each IPAddress with this claim must name its pool. */
export const readableObjects: readonly JsonObject[] = [
  {
    apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
    kind: 'IPAddressClaim',
    metadata: { namespace: 'default', name: 'claim' },
    spec: { poolRef: { apiGroup: 'ipam.io', kind: 'Pool', name: 'p' } },
  },
  ...topologyObjects,
];

const names = mostly(
  fc.constantFrom('m', 'm', 'm2'),
  fc.constantFrom('n'.repeat(64), 'a.b', 'worker-pool-in-the-third-availability-zone-of-the-northern-region-a'),
);
const owners = rarely(
  fc.constantFrom('MachinePool', 'MachineSet').map(kind => [{ apiVersion: 'g.io/v1', kind, name: 'o', uid: 'u' }]),
);
const ownLabels = fc.dictionary(
  fc.constantFrom('a', clusterNameLabel, 'cluster.x-k8s.io/pool-name', 'cluster.x-k8s.io/control-plane'),
  fc.constantFrom('', 'c1', 'x'),
  { maxKeys: 2 },
);

/** Creates, updates of other fields, and updates that change everything. */
export function writesOf(kind: { readonly apiVersion: string; readonly kind: string }): fc.Arbitrary<GeneratedWrite> {
  const spec = specs[kind.kind];
  if (spec === undefined) {
    throw new Error(`There is no generator of ${kind.kind}`);
  }
  const object = fc.record({
    ...{ apiVersion: fc.constant(kind.apiVersion), kind: fc.constant(kind.kind) },
    metadata: fc.record({
      ...{ name: names, namespace: fc.constant('default'), labels: maybe(ownLabels), annotations: maybe(annotations) },
      ownerReferences: owners,
    }),
    spec,
  });
  return fc
    .record({
      ...{ object, other: object, from: fc.constantFrom('nothing', 'itself', 'other') },
      ...{ isDeleted: seldom, isUnnamed: seldom, isBroken: seldom, brokenAt: fc.nat(), wrong: wrongValue },
    })
    .map(({ object: written, other, from, isDeleted, isUnnamed, isBroken, brokenAt, wrong }) => {
      const renamed = { ...other, metadata: { ...other.metadata, name: written.metadata.name } };
      const old = { nothing: undefined, itself: { ...renamed, spec: written.spec }, other: renamed }[from];
      // The embedded API server generates the names of these kinds before it decides.
      const hasName = !isUnnamed || old !== undefined || Object.hasOwn(topologySpecs, kind.kind);
      const sound = toJson(hasName ? written : withoutName(written));
      const shown = isBroken ? withWrongType(sound, brokenAt, wrong) : sound;
      // An API server keeps the time of the deletion.
      return old !== undefined && isDeleted
        ? { object: beingDeleted(shown), old: beingDeleted(old), isBroken }
        : { object: shown, old: old && toJson(old), isBroken };
    });
}

const seldom = fc.nat({ max: 19 }).map(number => number === 0);
const wrongValue = fc.constantFrom<unknown>('text', 7, true, [], ['text']);

interface Named {
  readonly metadata: object;
}

function withoutName<T extends Named>(object: T): object {
  return { ...object, metadata: { ...object.metadata, name: undefined, generateName: 'm-' } };
}

function beingDeleted(object: object): JsonObject {
  const { metadata, ...others } = toJson(object);
  return { ...others, metadata: { ...Object(metadata), deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** Replaces one field of the spec, at any depth. */
function withWrongType(object: JsonObject, at: number, wrong: unknown): JsonObject {
  const copy = structuredClone(object);
  const places: (() => void)[] = [];
  const walk = (parent: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(parent)) {
      places.push(() => {
        parent[name] = wrong;
      });
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        walk(value as Record<string, unknown>); // True: it is an object.
      }
    }
  };
  walk(Object(copy['spec']));
  places[at % Math.max(1, places.length)]?.();
  return copy;
}

export const generatedKinds = Object.keys(specs);
