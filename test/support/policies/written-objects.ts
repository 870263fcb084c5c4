// Objects that users write, valid and broken, for the comparison of policies with the rules of Cluster API's webhooks.
import type { JsonObject } from '@capi-serverless/apimachinery';
import {
  type PolicyKind,
  policyKinds,
  policyVersion,
} from '../../../infra/kubernetes/admission-policies/policy-check.ts';

const clusterLabel = 'cluster.x-k8s.io/cluster-name';
const bootstrap = { dataSecretName: 'data' };
const infrastructureRef = { apiGroup: 'infrastructure.example.com', kind: 'FooMachine', name: 'i1' };
const machineSpec = { clusterName: 'c1', bootstrap, infrastructureRef, version: 'v1.34.0' };
const labels = { [clusterLabel]: 'c1', app: 'web' };
const template = { metadata: { labels }, spec: machineSpec };
const selector = { matchLabels: labels };
const pool = { apiGroup: 'ipam.example.com', kind: 'Pool', name: 'p1' };

/** Valid specs that have their defaults. */
const specs: Readonly<Record<PolicyKind, JsonObject>> = {
  Machine: { ...machineSpec, deletion: { nodeDeletionTimeoutSeconds: 10 } },
  MachineSet: { clusterName: 'c1', replicas: 1, selector, template },
  MachineDeployment: {
    clusterName: 'c1',
    replicas: 1,
    selector,
    template,
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  },
  MachinePool: {
    clusterName: 'c1',
    replicas: 1,
    template: { ...template, spec: { ...machineSpec, deletion: { nodeDeletionTimeoutSeconds: 10 } } },
  },
  MachineHealthCheck: { clusterName: 'c1', selector, checks: { nodeStartupTimeoutSeconds: 600 } },
  MachineDrainRule: { drain: { behavior: 'Drain', order: 1 } },
  ClusterResourceSet: {
    strategy: 'ApplyOnce',
    clusterSelector: { matchLabels: { app: 'web' } },
    resources: [{ kind: 'Secret', name: 's1' }],
  },
  ClusterResourceSetBinding: { clusterName: 'c1' },
  IPAddress: { address: '10.0.0.4', prefix: 24, gateway: '10.0.0.1', claimRef: { name: 'claim' }, poolRef: pool },
  IPAddressClaim: { clusterName: 'c1', poolRef: pool },
};

export const writtenKinds = Object.keys(specs) as readonly PolicyKind[]; // True: these are its keys.

/** A valid object that has its defaults. */
export function aValid(kind: PolicyKind, name = 'stored', namespace = 'default'): JsonObject {
  const metadata = { name, namespace, labels };
  return { apiVersion: `${policyKinds[kind].group}/${policyVersion}`, kind, metadata, spec: specs[kind] };
}

/** The values that one field takes. `undefined` removes it. The keys of a path are separated by a space. */
type Values = readonly [path: string, values: readonly unknown[]];

const long = (count: number, text = 'a') => text.repeat(count);
const someKeys = ['b.example/c', 'not/a/key', '-a', `${long(64)}`, `${long(254)}/a`, 'UPPER', ''];
const taintsWith = (...keys: readonly string[]) =>
  keys.map(key => ({ key, effect: 'NoSchedule', propagation: 'Always' }));

const taintLists: readonly unknown[] = [
  taintsWith('a.example/b'),
  taintsWith('node.cluster.x-k8s.io/uninitialized'),
  taintsWith('a.example/b', 'node.kubernetes.io/unreachable'),
  taintsWith('node.kubernetes.io/out-of-service'),
  taintsWith('node.cloudprovider.kubernetes.io/x'),
  taintsWith('node-role.kubernetes.io/master'),
  taintsWith('ok', 'node-role.kubernetes.io/control-plane'),
  taintsWith('not/a/key'),
  taintsWith('-a'),
];

const versions: readonly unknown[] = [
  undefined,
  'v1.34.0-alpha.1',
  'v1.34.0+vendor.1',
  '1.34.0',
  'v1.34',
  'vv1.34.0',
  'v01.2.3',
  'V1.34.0',
  'v1.34.0++',
  'v1.34.0-01',
  'v18446744073709551615.0.0',
  'v99999999999999999999.0.0',
  'v1.34.0-',
  'v1.0.0-a..b',
  'v1.34."0',
];

const selectors: readonly unknown[] = [
  { matchLabels: { other: 'x' } },
  { matchLabels: { ...labels, [clusterLabel]: 'c2' } },
  {},
  { matchExpressions: [] },
  ...someKeys.map(key => ({ matchLabels: { ...labels, [key]: 'web' } })),
  { matchLabels: { ...labels, app: 'not a value' } },
  { matchLabels: { ...labels, app: long(64) } },
  ...['In', 'NotIn', 'Exists', 'DoesNotExist', 'Is'].flatMap(operator => [
    { matchExpressions: [{ key: 'app', operator }] },
    { matchExpressions: [{ key: 'app', operator, values: [] }] },
    { matchExpressions: [{ key: 'app', operator, values: ['web', 'x'] }] },
    { matchLabels: labels, matchExpressions: [{ key: 'absent', operator, values: ['x'] }] },
  ]),
  { matchExpressions: [{ key: 'absent', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'absent', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'not/a/key', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'not a value'] }] },
];

const amounts: readonly unknown[] = [undefined, 0, 3, -1, '10%', '+5%', '-5%', '0%', '1', 'abc', 'foo%', '5 %', '%'];

const bootstraps: readonly unknown[] = [
  {},
  { dataSecretName: '' },
  { configRef: { apiGroup: 'bootstrap.example.com', kind: 'FooConfig', name: 'b1' } },
];

const skipAnnotation = 'metadata annotations machineset.cluster.x-k8s.io/skip-preflight-checks';
const templated: readonly Values[] = [
  ['spec template spec bootstrap', bootstraps],
  ['spec template spec version', versions],
  ['spec template spec taints', taintLists],
  ['spec template spec clusterName', ['c2']],
  ['spec clusterName', ['c2']],
  [
    'spec template metadata labels',
    [...someKeys.map(key => ({ ...labels, [key]: 'x' })), { ...labels, b: 'no value' }],
  ],
  [
    'spec template metadata annotations',
    [
      ...someKeys.map(key => ({ [key]: 'any value' })),
      { a: long(262_143) },
      { a: long(262_144) },
      { a: long(131_072), b: long(131_072) },
      { a: long(200_000, 'é') },
    ],
  ],
];

const replicated: readonly Values[] = [
  ...templated,
  ['spec selector', selectors],
  [
    skipAnnotation,
    ['', 'All', 'All,ControlPlaneIsStable', ' All , KubeadmVersionSkew', 'All,', 'None', 'a,All,"b"', ','],
  ],
  [
    'spec machineNaming',
    [
      undefined,
      '{{ .random }}',
      '{{ .cluster.name }}-{{ .random }}',
      '{{ .machineSet.name }}-{{ .random }}',
      '{{.random}}',
      'name-{{.random}}',
      'fixed',
      '{{ .random }}-',
      'Upper-{{ .random }}',
      `${long(70)}-{{ .random }}`,
      `${long(60)}_{{ .random }}`,
      `${long(57)}.{{ .random }}`,
      `${long(57)}-é-{{ .random }}`,
      `${long(70)}{{ .random }}{{ .unknown }}`,
      `${long(70)}{{{ .random }}`,
      `${long(70)}{{ .random }}}`,
      '{{.cluster.name}}-{{ .random }}',
      '{{ .unknown }}-{{ .random }}',
      '{{ .random }',
      '{{ if true }}{{ .random }}{{ end }}',
      '{{ .random }}{{ "a" | printf "%s" }}',
    ].map(template => (template === undefined ? undefined : { template })),
  ],
];

const rollingUpdate = 'spec rollout strategy rollingUpdate';
const lists = (fields: readonly string[]) =>
  fields.flatMap(field => selectors.slice(0, 24).map(each => [{ [field]: each }]));

/** The fields of each kind that are varied. */
const variedFields: Readonly<Record<PolicyKind, readonly Values[]>> = {
  Machine: [
    ['spec bootstrap', bootstraps],
    ['spec clusterName', ['c2']],
    ['spec version', versions],
    ['spec taints', taintLists],
    [
      'metadata labels',
      [
        { ...labels, 'cluster.x-k8s.io/pool-name': '' },
        { ...labels, 'cluster.x-k8s.io/control-plane': '' },
        { app: 'web' },
        undefined,
      ],
    ],
    [
      'metadata ownerReferences',
      [
        [{ apiVersion: 'example.com/v1', kind: 'MachinePool', name: 'mp', uid: 'u1' }],
        [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms', uid: 'u1' }],
      ],
    ],
  ],
  MachineSet: [...replicated, ['metadata labels', [{ app: 'web' }]]],
  MachineDeployment: [
    ...replicated,
    ['metadata labels', [{ app: 'web' }]],
    ['metadata name', [long(63), long(64)]],
    [`${rollingUpdate} maxSurge`, amounts],
    [`${rollingUpdate} maxUnavailable`, amounts],
    [
      rollingUpdate,
      [undefined, { maxSurge: 0, maxUnavailable: 0 }, { maxSurge: '0%', maxUnavailable: '0%' }, { maxSurge: 0 }],
    ],
    ['spec rollout', [undefined, { strategy: { type: 'OnDelete' } }]],
    ['spec remediation', amounts.slice(1).map(maxInFlight => ({ maxInFlight }))],
  ],
  MachinePool: [...templated, ['metadata labels', [{ app: 'web' }]]],
  MachineHealthCheck: [
    ['spec selector', selectors],
    ['spec clusterName', ['c2']],
    ['metadata labels', [{ app: 'web' }]],
    ['spec checks', [undefined, ...[0, 1, 29, 30].map(nodeStartupTimeoutSeconds => ({ nodeStartupTimeoutSeconds }))]],
    ['spec remediation', amounts.slice(1).map(each => ({ triggerIf: { unhealthyLessThanOrEqualTo: each } }))],
  ],
  MachineDrainRule: [
    [
      'spec drain',
      [{ behavior: 'Skip' }, ...['Drain', 'Skip', 'WaitCompleted'].map(behavior => ({ behavior, order: 0 }))],
    ],
    ['spec machines', lists(['selector', 'clusterSelector'])],
    ['spec pods', lists(['selector', 'namespaceSelector'])],
  ],
  ClusterResourceSet: [
    ['spec clusterSelector', selectors],
    ['spec strategy', ['Reconcile', undefined]],
    ['spec resources', [[{ kind: 'ConfigMap', name: 'm1' }]]],
  ],
  ClusterResourceSetBinding: [['spec clusterName', ['c2']]],
  IPAddress: [
    ['spec address', ['42', '10.0.0.300', '010.0.0.1', 'fd00::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.4/24']],
    ['spec prefix', [0, 32, 33, 128]],
    ['spec gateway', [undefined, '42', 'fd00::2', 'fe80::1%eth0']],
    ['spec poolRef name', ['p2']],
    ['spec poolRef kind', ['Other']],
    ['spec claimRef name', ['absent']],
  ],
  IPAddressClaim: [
    ['spec clusterName', [undefined, 'c2']],
    ['spec poolRef name', ['p2']],
  ],
};

/** A write of an object. `old`: it is an update. */
export interface PolicyWrite {
  readonly kind: PolicyKind;
  readonly object: JsonObject;
  readonly old?: JsonObject;
}

/** Each value of each field alone, as create and as update. */
export function singleWrites(kind: PolicyKind): readonly PolicyWrite[] {
  const fields = variedFields[kind].flatMap(([path, values]) => values.map(value => [path, value] as const));
  const changes = [undefined, ...fields];
  return changes.flatMap(change => {
    const changed = (object: JsonObject) => (change === undefined ? object : withValue(object, ...change));
    const isRenamed = change?.[0] === 'metadata name';
    const updates = isRenamed ? [] : [{ kind, object: changed(aValid(kind)), old: aValid(kind) }];
    return [{ kind, object: changed(aValid(kind, 'new')) }, ...updates];
  });
}

/** Several fields with other values. `random` returns a number from 0 to below 1. */
export function mixedWrites(kind: PolicyKind, count: number, random: () => number): readonly PolicyWrite[] {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  return Array.from({ length: count }, () => {
    const isUpdate = random() < 0.5;
    const fields = variedFields[kind].filter(([path]) => path !== 'metadata name' && random() < 0.4);
    const start = aValid(kind, isUpdate ? 'stored' : 'new');
    const object = fields.reduce((changed, [path, values]) => withValue(changed, path, pick(values)), start);
    return { kind, object, ...(isUpdate ? { old: aValid(kind) } : {}) };
  });
}

const sizes = (least: string, most: string) => ({
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': least,
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': most,
});

/** Fields without which an object gets defaults. */
const defaultedFields: readonly Values[] = [
  ['metadata labels', [undefined, {}, { app: 'web' }, { [clusterLabel]: 'c2' }]],
  ['spec deletion', [undefined, { nodeDrainTimeoutSeconds: 5 }, { nodeDeletionTimeoutSeconds: 0 }]],
  ['spec version', ['1.34.0', undefined]],
  ['spec template spec version', ['1.34.0', undefined]],
  ['spec template spec deletion', [undefined, { nodeDrainTimeoutSeconds: 5 }]],
  ['spec selector', [{}, { matchLabels: { app: 'web' } }, { matchExpressions: [{ key: 'app', operator: 'Exists' }] }]],
  ['spec template metadata', [undefined, { labels: { app: 'web' } }]],
  ['spec rollout', [undefined, { strategy: { type: 'OnDelete' } }, { strategy: { type: 'RollingUpdate' } }]],
  [rollingUpdate, [{ maxSurge: 0 }, { maxUnavailable: '10%' }]],
  ['spec checks', [undefined, { nodeStartupTimeoutSeconds: 0 }]],
  ['spec strategy', [undefined]],
];

/** Objects without some of their defaults. */
export function undefaultedWrites(kind: PolicyKind): readonly PolicyWrite[] {
  const has = (path: string) => pathExists(aValid(kind), path.split(' ').slice(0, -1)) && specOf(kind, path);
  const changes = defaultedFields
    .filter(([path]) => has(path))
    .flatMap(([path, values]) => values.map(value => (object: JsonObject) => withValue(object, path, value)));
  const scaled = scalings.map(
    annotations => (object: JsonObject) =>
      withValue(withValue(object, 'metadata annotations', annotations), 'spec replicas', undefined),
  );
  const writes = [...changes, ...('replicas' in specs[kind] ? scaled : [])].flatMap(change => [
    { kind, object: change(aValid(kind, 'new')) },
    { kind, object: change(aValid(kind)), old: aValid(kind) },
  ]);
  return kind === 'MachineSet' || kind === 'MachineDeployment' ? [...writes, ...writesWithoutSelector(kind)] : writes;
}

/** The annotations of an autoscaler: numbers, texts that are none, and only one of both. */
const scalings: readonly JsonObject[] = [
  {},
  ...[sizes('3', '5'), sizes('0', '0'), sizes('+2', '1'), sizes('0', '9')],
  ...[sizes('x', '5'), sizes('3', '1_0'), sizes('3', '2147483648'), sizes('-2147483649', '3'), sizes('3', '')],
  { 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '3' },
];

/** Names that are not known yet, or too long for a label. */
function writesWithoutSelector(kind: PolicyKind): readonly PolicyWrite[] {
  const names = [{ generateName: 'new-' }, { name: long(63) }, { name: long(64) }];
  return names.flatMap(name =>
    [undefined, {}].map(selector => ({
      kind,
      object: withValue(
        { ...aValid(kind), metadata: { ...name, namespace: 'default', labels } },
        'spec selector',
        selector,
      ),
    })),
  );
}

/** Fields of other kinds are not varied. */
function specOf(kind: PolicyKind, path: string): boolean {
  const [part, first = ''] = path.split(' ');
  return part === 'metadata' ? 'clusterName' in specs[kind] && kind.startsWith('Machine') : first in specs[kind];
}

function pathExists(object: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) {
    return true;
  }
  const record = (object ?? {}) as JsonObject; // True: paths go through objects.
  return first in record && pathExists(record[first], rest);
}

/** Keys may have dots. */
function withValue(object: JsonObject, path: string, value: unknown): JsonObject {
  const [first = '', ...rest] = path.split(' ');
  const inner = rest.length === 0 ? value : withValue((object[first] ?? {}) as JsonObject, rest.join(' '), value); // True: paths go through objects.
  const { [first]: _, ...others } = object;
  return inner === undefined ? others : { ...others, [first]: inner };
}
