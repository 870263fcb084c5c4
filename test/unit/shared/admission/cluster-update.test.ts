import { invalid, type JsonObject, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readMachine } from '../../../../shared/api/machine/reader.ts';
import {
  type AdmissionInput,
  aClass,
  aCluster,
  aWorkerClass,
  classSpec,
  judge,
  managed,
  reported,
  settled,
} from './admission-cluster.ts';

const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AKind', name: 'c' };
const anyClass = 'unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check';
const anyVersion = 'unsafe.topology.cluster.x-k8s.io/disable-update-version-check';

function anObject(kind: string, name: string, spec: JsonObject, rest: JsonObject = {}): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind,
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', labels: { set: name } },
    spec,
    ...rest,
  };
}

function workers(kind: 'MachineDeployment' | 'MachinePool', name: string, version: string, rest: JsonObject = {}) {
  return anObject(kind, name, { selector: { matchLabels: { set: name } }, template: { spec: { version } } }, rest);
}

function aControlPlane(spec: JsonObject, status: JsonObject = {}) {
  return { controlPlane: valid(anObject('AControlPlane', 'cp', spec, { status })) };
}

interface Row extends AdmissionInput {
  readonly from: Unstructured;
  readonly to: Unstructured;
  readonly errors: readonly string[];
  readonly reason: string;
}

const at = (version: string, metadata: JsonObject = {}): Unstructured => managed({ version }, metadata);
const adopted = (metadata: JsonObject = {}): Unstructured =>
  aCluster({ infrastructureRef: reference, topology: { classRef: { name: 'cc' }, version: 'v1.36.0' } }, metadata);
const refused = (version: string, why: string): readonly string[] => [
  `spec.topology.version: Invalid value: "${version}": ${why}`,
];
const unfinished = (why: string): readonly string[] => refused('v1.37.0', `version cannot be changed: ${why}`);
const upgrade = { from: at('v1.36.0'), to: at('v1.37.0') };
const unread = 'failed to check if control plane is upgrading';

const rows: readonly Row[] = [
  { from: managed(), to: managed({ controlPlane: { replicas: 3 } }), errors: [], reason: 'changes what it may' },
  {
    from: aCluster({ infrastructureRef: reference, controlPlaneRef: reference }),
    to: aCluster({ infrastructureRef: reference }),
    errors: ['spec.controlPlaneRef: Forbidden: cannot be removed'],
    reason: 'keeps its control plane',
  },
  {
    from: aCluster({ infrastructureRef: reference, controlPlaneRef: reference }),
    to: aCluster({}),
    errors: [
      'spec.infrastructureRef: Forbidden: cannot be removed',
      'spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set',
      'spec.controlPlaneRef: Forbidden: cannot be removed',
    ],
    reason: 'keeps its infrastructure',
  },
  {
    from: managed(),
    to: aCluster({ infrastructureRef: reference }),
    errors: ['spec.topology: Forbidden: cannot be removed from an existing Cluster'],
    reason: 'keeps its topology',
  },
  {
    from: aCluster({ infrastructureRef: reference }),
    to: adopted(),
    errors: ['spec.topology.class: Forbidden: classRef cannot be set on an existing Cluster'],
    reason: 'gets no topology later',
  },
  {
    from: aCluster({ infrastructureRef: reference }),
    to: adopted({ annotations: { [anyClass]: '' } }),
    errors: [],
    reason: 'may get one later from another writer',
  },
  {
    from: managed(),
    to: managed(),
    classes: [],
    errors: ['spec.topology.class: Internal error: ClusterClass ns/cc not found'],
    reason: 'has a class that is there',
  },
  { ...upgrade, errors: [], reason: 'is upgraded by one minor version' },
  {
    from: managed({ version: undefined }),
    to: at('v1.36.0'),
    errors: [
      ...refused('', 'old version must be a valid semantic version'),
      ...refused('v1.36.0', 'version cannot be increased from "0.0.0" to "1.36.0"'),
    ],
    reason: 'cannot be valid without a cause',
  },
  { from: at('1.36.0'), to: at('v1.36.0'), errors: [], reason: 'may spell its version another way' },
  {
    from: at('v1.36.1'),
    to: at('v1.36.0'),
    errors: refused('v1.36.0', 'version cannot be decreased from "1.36.1" to "1.36.0"'),
    reason: 'never goes back',
  },
  {
    from: at('v1.36.0-rc.1'),
    to: at('v1.36.0-rc.0'),
    progress: aControlPlane({ version: 'v1.36.0-rc.1' }, { version: 'v1.36.0-rc.1' }),
    errors: [],
    reason: 'may go back among previews',
  },
  {
    ...upgrade,
    to: at('v1.38.0-alpha.0'),
    errors: refused('v1.38.0-alpha.0', 'version cannot be increased from "1.36.0" to "1.38.0-alpha.0"'),
    reason: 'leaves no minor version out',
  },
  {
    ...upgrade,
    to: at('v1.38.0'),
    classes: [aClass({ kubernetesVersions: ['v1.36.0', 'v1.37.0', 'v1.38.0'] })],
    errors: [],
    reason: 'may skip versions where its class lists the versions between',
  },
  {
    ...upgrade,
    to: at('v1.38.0'),
    classes: [aClass({ upgrade: { external: { generateUpgradePlanExtension: 'plan.ext' } } })],
    errors: [],
    reason: 'may skip versions where an extension plans the upgrade',
  },
  {
    from: at('v1.36.0'),
    to: at('x'),
    errors: [
      ...refused('vx', 'version must be a valid semantic version'),
      ...refused('vx', 'version must be a valid semantic version'),
    ],
    reason: 'increases to a version, which both checks report',
  },
  {
    from: at('x'),
    to: at('v1.0.0'),
    errors: [
      ...refused('x', 'old version must be a valid semantic version'),
      ...refused('v1.0.0', 'version cannot be increased from "0.0.0" to "1.0.0"'),
    ],
    reason: 'comes from a version',
  },
  {
    ...upgrade,
    to: at('v1.37.0', {
      annotations: { 'runtime.cluster.x-k8s.io/pending-hooks': 'AfterClusterUpgrade,AfterControlPlaneUpgrade' },
    }),
    errors: refused('v1.37.0', 'version cannot be changed when the "AfterClusterUpgrade" hook is still blocking'),
    reason: 'waits for the hook after the upgrade before',
  },
  {
    ...upgrade,
    progress: { controlPlane: invalid('cannot get object - object reference not set') },
    errors: unfinished(`${unread}: failed to get control plane object: cannot get object - object reference not set`),
    reason: 'has a control plane that can be read',
  },
  {
    ...upgrade,
    progress: aControlPlane({}),
    errors: unfinished(`${unread}: failed to get control plane version: path .spec.version: field not found`),
    reason: 'has a control plane with a version',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 1 }),
    errors: [expect.stringContaining(`${unread}: failed to get control plane version: failed to get .spec.version`)],
    reason: 'has a control plane whose version is a text',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 'x' }),
    errors: unfinished(`${unread}: failed to parse control plane version x`),
    reason: 'has a control plane whose version is one',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 'v1.35.0' }),
    errors: unfinished(
      'Cluster.spec.topology.version 1.36.0 was not propagated to control plane yet (control plane version 1.35.0)',
    ),
    reason: 'waits until its control plane reports the previous version',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 'v1.36.0' }),
    errors: unfinished('control plane is currently provisioning'),
    reason: 'waits until its control plane runs',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 'v1.36.0' }, { version: 'v1.35.0' }),
    errors: unfinished('control plane is still completing a previous upgrade'),
    reason: 'waits until its control plane has arrived',
  },
  {
    ...upgrade,
    progress: aControlPlane({ version: 'v1.36.0' }, { version: 'x' }),
    errors: unfinished(`${unread}: failed to check if the control plane is upgrading: failed to parse version x`),
    reason: 'has a control plane that reports its version',
  },
  {
    ...upgrade,
    progress: {
      machineDeployments: [
        workers('MachineDeployment', 'a', 'v1.36.0'),
        workers('MachineDeployment', 'b', 'v1.35.0'),
        workers('MachineDeployment', 'c', 'v1.36.0'),
      ],
      machines: [
        readMachine(anObject('Machine', 'c', { version: 'v1.35.0' })),
        readMachine(anObject('Machine', 'a', { version: 'v1.36.0' })),
      ],
      machinePools: [workers('MachinePool', 'd', 'v1.36.0'), workers('MachinePool', 'e', 'v1.35.0')],
    },
    errors: unfinished(
      '[there are still MachineDeployments completing a previous upgrade: [b, c], there are still MachinePools completing a previous upgrade: [e]]',
    ),
    reason: 'waits until its workers have arrived, whose Nodes cannot be read',
  },
  {
    ...upgrade,
    progress: {
      machinePools: [workers('MachinePool', 'd', 'v1.36.0', { status: { nodeRefs: [{ name: 'n' }] } })],
      kubeletVersions: new Map([['n', valid('v1.35.0')]]),
    },
    errors: unfinished('there are still MachinePools completing a previous upgrade: [d]'),
    reason: 'waits until the Nodes of its MachinePools have arrived',
  },
  {
    ...upgrade,
    progress: {
      machineDeployments: [workers('MachineDeployment', 'a', 'x')],
      machinePools: [workers('MachinePool', 'd', 'v1.36.0', { status: { nodeRefs: [{ name: 'n' }] } })],
      kubeletVersions: new Map(),
    },
    errors: unfinished(
      '[failed to check if MachineDeployment a is upgrading: failed to parse version x, failed to check if MachinePool d is upgrading: failed to get Node n: it was not read]',
    ),
    reason: 'has workers of which something can be learnt',
  },
  {
    from: managed({ classRef: { name: 'old' } }),
    to: managed(),
    errors: [
      'spec.topology.class: Forbidden: valid ClusterClass with name "ns/old" could not be retrieved, change from class "ns/old" to class "ns/cc" cannot be validated. Error: ClusterClass.cluster.x-k8s.io "old" not found',
    ],
    reason: 'comes from a class that exists',
  },
  {
    from: managed({ classRef: { name: 'old' } }),
    to: managed(),
    classes: [
      aClass(),
      aClass(
        {
          ...classSpec,
          infrastructure: {
            templateRef: { apiVersion: 'other.cluster.x-k8s.io/v1', kind: 'BClusterTemplate', name: 't' },
          },
          workers: {
            machineDeployments: [
              aWorkerClass('worker', {
                infrastructure: {
                  templateRef: {
                    apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
                    kind: 'BMachineTemplate',
                    name: 't',
                  },
                },
                bootstrap: {
                  templateRef: { apiVersion: 'bootstrap.cluster.x-k8s.io/v1', kind: 'BConfigTemplate', name: 't' },
                },
              }),
            ],
          },
        },
        { observedGeneration: 0 },
        'old',
      ),
    ],
    errors: [
      'spec.infrastructure.templateRef.apiVersion: Forbidden: group of apiVersion cannot be changed from "other.cluster.x-k8s.io" to "infrastructure.cluster.x-k8s.io" to prevent incompatible changes in the Clusters',
      'spec.infrastructure.templateRef.kind: Forbidden: kind cannot be changed from "BClusterTemplate" to "AClusterTemplate" to prevent incompatible changes in the Clusters',
      'spec.workers.machineDeployments[0].infrastructure.templateRef.kind: Forbidden: kind cannot be changed from "BMachineTemplate" to "AMachineTemplate" to prevent incompatible changes in the Clusters',
    ],
    reason: 'comes from a class of the same kinds, but for what makes machines join',
  },
  {
    from: managed({ classRef: { name: 'old' } }),
    to: managed(),
    classes: [aClass(), aClass({}, {}, 'old')],
    errors: [],
    reason: 'may get another class',
  },
];

describe('a Cluster that is changed', () => {
  it.each(rows)('$reason', ({ from, to, errors, ...input }) => {
    expect(reported(to, { ...input, old: from })).toEqual(errors);
  });

  it('may get any version from an authorized writer, with a warning', () => {
    const to = at('v1.30.0', { annotations: { [anyVersion]: '' } });
    expect(judge(to, { old: at('v1.36.0') })).toMatchObject({
      admitted: true,
      warnings: [`Skipping version validation for Cluster because annotation "${anyVersion}" is set.`],
    });
  });

  it('reports missing objects although its class is not reconciled', () => {
    const classes = [aClass({}, { observedGeneration: 0 })];
    expect(judge(at('v1.38.0'), { old: at('v1.36.0'), classes })).toMatchObject({
      admitted: false,
      by: 'validation',
      errors: [{ field: 'spec.topology.version' }],
      warnings: [expect.stringContaining("hasn't been successfully reconciled")],
    });
  });

  it('is settled in these tests by default', () => {
    expect(reported(upgrade.to, { old: upgrade.from, progress: settled })).toEqual([]);
  });
});

describe('variables of a Cluster that is changed', () => {
  const schema = {
    type: 'integer',
    'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'only grows' }],
  };
  const classes = [
    aClass(
      {},
      {
        variables: [
          { name: 'n', definitions: [{ from: 'inline', required: false, schema: { openAPIV3Schema: schema } }] },
        ],
      },
    ),
  ];
  const withN = (value: number): JsonObject => ({ variables: { overrides: [{ name: 'n', value }] } });
  const everywhere = (value: number): Unstructured =>
    managed({
      variables: [{ name: 'n', value }],
      controlPlane: withN(value),
      workers: {
        machineDeployments: [{ class: 'worker', name: 'md', ...withN(value) }],
        machinePools: [{ class: 'pool', name: 'mp', ...withN(value) }],
      },
    });

  it('are compared with their previous values', () => {
    expect(reported(everywhere(2), { old: everywhere(1), classes })).toEqual([]);
    expect(reported(everywhere(1), { old: everywhere(2), classes })).toEqual(
      [
        'spec.topology.variables[n].value',
        'spec.topology.controlPlane.variables.overrides[n].value',
        'spec.topology.workers.machineDeployments[md].variables.overrides[n].value',
        'spec.topology.workers.machinePools[mp].variables.overrides[n].value',
      ].map(path => expect.stringMatching(new RegExp(`^${path.replaceAll(/[.[\]]/g, '\\$&')}: .*only grows$`))),
    );
  });

  it('have nothing to be compared with where they were not there or could not be read', () => {
    expect(reported(everywhere(1), { old: managed(), classes })).toEqual([]);
    expect(reported(everywhere(1), { old: managed({ variables: 'none' }), classes })).toEqual([]);
  });
});
