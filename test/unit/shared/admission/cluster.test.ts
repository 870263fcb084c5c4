import { printFieldError, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { validateCluster } from '../../../../shared/admission/cluster.ts';
import {
  type AdmissionInput,
  aClass,
  aCluster,
  aWorkerClass,
  classSpec,
  deployments,
  judge,
  managed,
  pools,
  reported,
} from './admission-cluster.ts';

interface Row extends AdmissionInput {
  readonly cluster: Unstructured;
  readonly errors: readonly string[];
  readonly reason: string;
}

const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'ACluster', name: 'c' };
const minSize = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size';
const maxSize = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';
const concurrency = 'topology.cluster.x-k8s.io/upgrade-concurrency';

const notPercent =
  'must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage';

const badKey =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const rows: readonly Row[] = [
  { cluster: managed(), errors: [], reason: 'that is in order is admitted' },
  {
    cluster: aCluster({ infrastructureRef }),
    errors: [],
    reason: 'needs no topology',
  },
  {
    cluster: aCluster({ paused: true }),
    errors: ['spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set'],
    reason: 'needs something to be made of',
  },
  {
    cluster: managed({}, { name: 'a'.repeat(64) }),
    errors: [
      `metadata.name: Invalid value: "${'a'.repeat(64)}": must be a valid label value must be no more than 63 bytes`,
    ],
    reason: 'has a name that labels can hold',
  },
  {
    cluster: aCluster({
      infrastructureRef,
      clusterNetwork: {
        pods: { cidrBlocks: ['10.0.0.0/8', '10.0.0.0/33', '10.0.0.010/8', '10.0.0.0'] },
        services: { cidrBlocks: ['fd00::/129', 'fd00::/108', 'x/8/9'] },
      },
    }),
    errors: [
      'spec.clusterNetwork.pods.cidrBlocks[1]: Invalid value: "10.0.0.0/33": invalid CIDR address: 10.0.0.0/33',
      'spec.clusterNetwork.pods.cidrBlocks[2]: Invalid value: "10.0.0.010/8": invalid CIDR address: 10.0.0.010/8',
      'spec.clusterNetwork.pods.cidrBlocks[3]: Invalid value: "10.0.0.0": invalid CIDR address: 10.0.0.0',
      'spec.clusterNetwork.services.cidrBlocks[0]: Invalid value: "fd00::/129": invalid CIDR address: fd00::/129',
      'spec.clusterNetwork.services.cidrBlocks[2]: Invalid value: "x/8/9": invalid CIDR address: x/8/9',
    ],
    reason: 'has networks that are ranges of addresses',
  },
  {
    cluster: managed({ version: 'x' }),
    gates: { clusterTopology: false },
    errors: ['spec.topology: Forbidden: can be set only if the ClusterTopology feature flag is enabled'],
    reason: 'may have a topology only with the feature gate; without it, nothing else is reported',
  },
  {
    cluster: managed({ classRef: { name: '' } }),
    errors: ['spec.topology.classRef.name: Required value: cannot be empty'],
    reason: 'names its class',
  },
  {
    cluster: managed({ version: '1.36' }),
    errors: ['spec.topology.version: Invalid value: "v1.36": version must be a valid semantic version'],
    reason: 'has a whole version',
  },
  ...['v1.36.01', 'vv1.36.0', 'v1.36.0-', 'v1.36.0+a..b', 'v1.36.0-01', 'v 1.36.0', ''].map(version => ({
    cluster: managed({ version }),
    errors: [`spec.topology.version: Invalid value: "${version || 'v'}": version must be a valid semantic version`],
    reason: `has a version, which "${version}" is not`,
  })),
  {
    cluster: aCluster({ topology: { classRef: { name: 'cc' } } }),
    errors: ['spec.topology.version: Invalid value: "v": version must be a valid semantic version'],
    reason: 'prints its version',
  },
  {
    cluster: managed({ version: 'v1.36.0-rc.1+build.5' }),
    errors: [],
    reason: 'may have a version with everything',
  },
  {
    cluster: managed({
      controlPlane: { metadata: { labels: { 'a b': '' } } },
      workers: {
        machineDeployments: [{ class: 'worker', name: 'md', metadata: { annotations: { 'a b': '' } } }],
        machinePools: [{ class: 'pool', name: 'mp', metadata: { labels: { 'a b': '' } } }],
      },
    }),
    errors: [
      `spec.topology.controlPlane.metadata.labels: Invalid value: "a b": ${badKey}`,
      `spec.topology.workers.machineDeployments[md].metadata.annotations: Invalid value: "a b": ${badKey}`,
      `spec.topology.workers.machinePools[mp].metadata.labels: Invalid value: "a b": ${badKey}`,
    ],
    reason: 'has labels and annotations that objects can have',
  },
  {
    cluster: managed(
      deployments({
        class: 'worker',
        name: 'md',
        rollout: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      }),
    ),
    errors: [
      'spec.topology.workers.machineDeployments[md].rollout.strategy.rollingUpdate: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0',
    ],
    reason: 'has rollouts that can go on',
  },
  {
    cluster: managed(
      deployments({
        class: 'worker',
        name: 'md',
        rollout: { strategy: { rollingUpdate: { maxUnavailable: '1', maxSurge: '10%' } } },
      }),
    ),
    errors: [
      `spec.topology.workers.machineDeployments[md].rollout.strategy.rollingUpdate.maxUnavailable: Invalid value: "1": ${notPercent}`,
    ],
    reason: 'has amounts that are numbers or percentages',
  },
  {
    cluster: managed({
      controlPlane: { taints: [{ key: 'node.kubernetes.io/x' }] },
      workers: {
        machineDeployments: [{ class: 'worker', name: 'md', taints: [{ key: 'own' }] }],
        machinePools: [{ class: 'pool', name: 'mp', taints: [{ key: 'node.cluster.x-k8s.io/uninitialized' }] }],
      },
    }),
    errors: [
      'spec.topology.controlPlane.taints[0].key: Invalid value: "node.kubernetes.io/x": taint key must not have the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service',
      'spec.topology.workers.machinePools[mp].taints[0].key: Invalid value: "node.cluster.x-k8s.io/uninitialized": taint key is not allowed',
    ],
    reason: 'has no taints that others set',
  },
  {
    cluster: managed(deployments({ class: 'worker', name: 'md', taints: [{ key: 'own' }] })),
    gates: { taintPropagation: false },
    errors: [
      'spec.topology.workers.machineDeployments[md].taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled',
    ],
    reason: 'has taints only behind their gate',
  },
  ...[
    ['x', 'could not parse the value of the annotation: strconv.Atoi: parsing "x": invalid syntax'],
    ['', 'could not parse the value of the annotation: strconv.Atoi: parsing "": invalid syntax'],
    [
      '9223372036854775808',
      'could not parse the value of the annotation: strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
    [
      '-9223372036854775809',
      'could not parse the value of the annotation: strconv.Atoi: parsing "-9223372036854775809": value out of range',
    ],
    ['0', 'value cannot be less than 1'],
  ].map(([value = '', why]) => ({
    cluster: managed({}, { annotations: { [concurrency]: value } }),
    errors: [`metadata.annotations.${concurrency}: Invalid value: "${value}": ${why}`],
    reason: `upgrades at least one at a time, which "${value}" is not`,
  })),
  { cluster: managed({}, { annotations: { [concurrency]: '+2' } }), errors: [], reason: 'may upgrade two at a time' },
  {
    cluster: managed(),
    classes: [aClass({ kubernetesVersions: ['v1.35.0', 'v1.37.0'] })],
    errors: [
      'spec.topology.version: Invalid value: "v1.36.0": version must match one of the versions defined in the ClusterClass',
    ],
    reason: 'has one of the versions that its class lists',
  },
  {
    cluster: managed({ version: '1.36.0' }),
    classes: [aClass({ kubernetesVersions: ['v1.36.0'] })],
    errors: [],
    reason: 'may leave the prefix of its version out',
  },
  {
    cluster: managed({
      workers: {
        machineDeployments: [
          { class: 'big', name: 'a' },
          { class: 'worker', name: 'a' },
          { class: 'worker', name: '' },
        ],
        machinePools: [
          { class: 'big', name: 'a' },
          { class: 'pool', name: 'a' },
          { class: 'big', name: '' },
        ],
      },
    }),
    errors: [
      'spec.topology.workers.machineDeployments[0].class: Invalid value: "big": MachineDeploymentClass with name "big" does not exist in ClusterClass "cc"',
      'spec.topology.workers.machineDeployments[1].name: Invalid value: "a": name must be unique. MachineDeployment with name "a" is defined more than once',
      'spec.topology.workers.machineDeployments[2].name: Required value: name must not be empty',
      'spec.topology.workers.machinePools[0].class: Invalid value: "big": MachinePoolClass with name "big" does not exist in ClusterClass "cc"',
      'spec.topology.workers.machinePools[1].name: Invalid value: "a": name must be unique. MachinePool with name "a" is defined more than once',
      'spec.topology.workers.machinePools[2].class: Invalid value: "big": MachinePoolClass with name "big" does not exist in ClusterClass "cc"',
      'spec.topology.workers.machinePools[2].name: Required value: name must not be empty',
    ],
    reason: 'has workers with names of their own and classes that are there',
  },
  {
    cluster: managed({ controlPlane: { healthCheck: { checks: { nodeStartupTimeoutSeconds: 300 } } } }),
    classes: [aClass({ controlPlane: { ...classSpec.controlPlane, machineInfrastructure: {} } })],
    errors: [
      'spec.topology.controlPlane.healthCheck: Forbidden: can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass',
    ],
    reason: 'checks the health of control planes made of machines',
  },
  {
    cluster: managed({
      controlPlane: { healthCheck: { enabled: true } },
      ...deployments(
        { class: 'worker', name: 'md', healthCheck: { enabled: true } },
        { class: 'worker', name: 'off', healthCheck: { enabled: false } },
        { class: 'checked', name: 'other', healthCheck: { enabled: true } },
      ),
    }),
    classes: [
      aClass({
        workers: {
          machineDeployments: [
            aWorkerClass('worker'),
            aWorkerClass('checked', { healthCheck: { checks: { nodeStartupTimeoutSeconds: 60 } } }),
          ],
        },
      }),
    ],
    errors: [
      'spec.topology.controlPlane.healthCheck.enable: Forbidden: cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass',
      'spec.topology.workers.machineDeployments[md].healthCheck.enable: Forbidden: cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass',
    ],
    reason: 'switches on only checks that class or topology defines',
  },
  {
    cluster: managed({
      controlPlane: {
        healthCheck: {
          enabled: true,
          checks: { nodeStartupTimeoutSeconds: 29 },
          remediation: { triggerIf: { unhealthyLessThanOrEqualTo: '1' } },
        },
      },
      ...deployments(
        {
          class: 'worker',
          name: 'md',
          healthCheck: {
            checks: { nodeStartupTimeoutSeconds: 1 },
            remediation: { maxInFlight: 'x', triggerIf: { unhealthyLessThanOrEqualTo: '50%' } },
          },
        },
        { class: 'worker', name: 'never', healthCheck: { checks: { nodeStartupTimeoutSeconds: 0 } } },
      ),
    }),
    errors: [
      'spec.topology.controlPlane.healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 29: must be at least 30s',
      `spec.topology.controlPlane.healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo: Invalid value: "1": ${notPercent}`,
      'spec.topology.workers.machineDeployments[md].healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 1: must be at least 30s',
      `spec.topology.workers.machineDeployments[md].healthCheck.remediation.maxInFlight: Invalid value: "x": ${notPercent}`,
    ],
    reason: 'has checks with times and amounts that make sense',
  },
  {
    cluster: managed(
      deployments(
        { class: 'scaled', name: 'a', replicas: 1, metadata: { annotations: { [minSize]: '1' } } },
        { class: 'scaled', name: 'b', metadata: { annotations: { [maxSize]: '1' } } },
        { class: 'worker', name: 'c', replicas: 1 },
      ),
    ),
    classes: [
      aClass({
        workers: {
          machineDeployments: [
            aWorkerClass('worker'),
            aWorkerClass('scaled', { metadata: { annotations: { [maxSize]: '9' } } }),
          ],
        },
      }),
    ],
    errors: [
      'spec.topology.workers.machineDeployments[a].replicas: Invalid value: 1: cannot be set for cluster "c" in namespace "ns" if the same MachineDeploymentTopology has autoscaler annotations',
      'spec.topology.workers.machineDeployments[a].replicas: Invalid value: 1: cannot be set for cluster "c" in namespace "ns" if the source class "scaled" of this MachineDeploymentTopology has autoscaler annotations',
    ],
    reason: 'leaves the number of Machines to the autoscaler where there is one',
  },
  {
    cluster: managed(
      deployments({ class: 'unknown', name: 'a', replicas: 1, metadata: { annotations: { [minSize]: '1' } } }),
    ),
    classes: [],
    errors: [
      'spec.topology.workers.machineDeployments[a].replicas: Invalid value: 1: cannot be set for cluster "c" in namespace "ns" if the same MachineDeploymentTopology has autoscaler annotations',
    ],
    reason: 'is checked as far as possible without its class',
  },
  {
    cluster: managed({ classRef: { name: 'cc', namespace: 'shared' }, ...pools({ class: 'pool', name: 'mp' }) }),
    classes: [{ ...aClass(), metadata: { ...aClass().metadata, namespace: 'shared' } }],
    errors: [],
    reason: 'may have its class in another namespace',
  },
  {
    cluster: managed(),
    classes: [aClass({}, { variables: [{ name: 'v', definitions: 'none' }] })],
    errors: [
      expect.stringMatching(
        /^spec\.topology\.class: Internal error: reading the variables of ClusterClass ns\/cc failed: /,
      ),
    ],
    reason: 'has a class whose variables can be read',
  },
];

const never = () => {
  throw new Error('Nothing is read');
};

describe('a new Cluster', () => {
  it.each(rows)('$reason', ({ cluster, errors, ...input }) => {
    expect(reported(cluster, input)).toEqual(errors);
  });

  it('without the name of a class is refused by the validation as well', () => {
    const change = { gates: { clusterTopology: true, taintPropagation: true }, findClass: never, progressOf: never };
    const { errors, warnings } = validateCluster(managed({ classRef: { name: '' }, version: 'x' }), change);
    expect(errors.map(printFieldError)).toEqual(['spec.topology.class: Required value: classRef.name cannot be empty']);
    expect(warnings).toEqual([]);
  });

  it('gets the prefix of its version, and nothing else changes', () => {
    const verdict = judge(managed({ version: '1.36.0', controlPlane: { replicas: 3 } }));
    expect(verdict).toEqual({
      admitted: true,
      warnings: [],
      cluster: managed({ controlPlane: { replicas: 3 } }),
    });
  });

  const begin = 'Cluster refers to ClusterClass ns/cc, but this ClusterClass';
  const incomplete = 'Cluster topology has not been fully validated.';
  it.each([
    {
      classes: [],
      warning: `${begin} does not exist. ${incomplete} The ClusterClass must be created to reconcile the Cluster`,
      reason: 'does not exist',
    },
    {
      classes: [aClass({}, { observedGeneration: 0 })],
      warning: `${begin} hasn't been successfully reconciled. ${incomplete} Please take a look at the ClusterClass status`,
      reason: 'has changed since it was reconciled',
    },
    {
      classes: [aClass({}, { conditions: [{ type: 'VariablesReady', status: 'False' }] })],
      warning: `${begin} hasn't been successfully reconciled. ${incomplete} Please take a look at the ClusterClass status`,
      reason: 'has wrong variables',
    },
  ])('is admitted with a warning when its class $reason', ({ classes, warning }) => {
    expect(judge(managed(), { classes })).toMatchObject({ admitted: true, warnings: [warning] });
  });

  it('is also checked against a class that is not reconciled, but its variables are not', () => {
    const variables = [{ name: 'v', value: 1 }];
    const classes = [aClass({ kubernetesVersions: ['v1.35.0'] }, { observedGeneration: 0 })];
    expect(judge(managed({ variables }), { classes })).toMatchObject({
      admitted: false,
      by: 'validation',
      errors: [{ field: 'spec.topology.version' }],
      warnings: [expect.stringContaining("hasn't been successfully reconciled")],
    });
  });
});
