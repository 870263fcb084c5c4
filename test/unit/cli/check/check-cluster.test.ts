// Findings in Clusters, with and without a class in the files.
import { describe, expect, test } from 'vitest';
import { check } from '../../../../cli/check/check.ts';
import { aClass, lines } from '../../../support/checked-class.ts';

describe('a Cluster of a class of the files', () => {
  const cluster = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one}
spec:
  topology:
    classRef: {name: quick}
    version: v1.34.0
    workers:
      machineDeployments:
      - name: md
        class: big
`;

  test('can have no workers that the class does not offer', () => {
    expect(lines(cluster, aClass())).toEqual([
      '11:9 error spec.topology.workers.machineDeployments[0].class: Invalid value: "big": MachineDeploymentClass with name "big" does not exist in ClusterClass "quick"; it has none',
    ]);
  });

  test('can have no version that the class does not list', () => {
    expect(
      lines(cluster.slice(0, cluster.indexOf('    workers')), aClass('  kubernetesVersions: [v1.35.0]\n')),
    ).toEqual([
      '7:5 error spec.topology.version: Invalid value: "v1.34.0": version must match one of the versions defined in the ClusterClass; it has v1.35.0',
    ]);
  });

  const required = 'could not parse the value of the annotation: strconv.Atoi: parsing "many": invalid syntax';
  const amount =
    'must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage';
  const enabled =
    'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';
  const autoscaled =
    'cannot be set for cluster "two" in namespace "default" if the same MachineDeploymentTopology has autoscaler annotations';

  const wrong = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: two
  annotations:
    topology.cluster.x-k8s.io/upgrade-concurrency: many
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [10.0.0.0]
  topology:
    classRef: {name: quick}
    version: "1.34"
    controlPlane:
      healthCheck:
        checks: {nodeStartupTimeoutSeconds: 5}
    workers:
      machineDeployments:
      - name: md
        class: worker
        replicas: 2
        metadata:
          annotations:
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "1"
        healthCheck:
          enabled: true
        rollout:
          strategy:
            type: RollingUpdate
            rollingUpdate: {maxSurge: 0, maxUnavailable: 0}
      - name: other
        class: worker
        rollout:
          strategy:
            type: RollingUpdate
            rollingUpdate: {maxSurge: "5"}
      machinePools:
      - name: mp
        class: none
`;

  test('is reported with everything that the webhook would refuse, with positions and remedies', () => {
    const workers = `  workers:
    machineDeployments:
    - class: worker
      bootstrap: {templateRef: {apiVersion: a.cluster.x-k8s.io/v1, kind: AConfigTemplate, name: a}}
      infrastructure: {templateRef: {apiVersion: a.cluster.x-k8s.io/v1, kind: AMachineTemplate, name: a}}
`;
    const md = 'spec.topology.workers.machineDeployments';
    expect(lines(wrong, aClass(workers))).toEqual([
      `6:5 error metadata.annotations[topology.cluster.x-k8s.io/upgrade-concurrency]: Invalid value: "many": ${required}; write a number from "1" on`,
      '10:20 error spec.clusterNetwork.pods.cidrBlocks[0]: Invalid value: "10.0.0.0": invalid CIDR address: 10.0.0.0',
      '13:5 error spec.topology.version: Invalid value: "v1.34": version must be a valid semantic version; write all three numbers, as in v1.36.0',
      '15:7 error spec.topology.controlPlane.healthCheck: Forbidden: can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass; remove the healthCheck, or use another class',
      '16:18 error spec.topology.controlPlane.healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 5: must be at least 30s; 0 disables the timeout',
      `21:9 error ${md}[md].replicas: Invalid value: 2: ${autoscaled}; remove replicas or the annotations`,
      `26:11 error ${md}[md].healthCheck.enabled: Forbidden: ${enabled}; set checks or remediation beside it`,
      `30:13 error ${md}[md].rollout.strategy.rollingUpdate: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0; one of them must be at least 1`,
      `36:29 error ${md}[other].rollout.strategy.rollingUpdate.maxSurge: Invalid value: "5": ${amount}; write a number, or a percentage as in "25%"`,
      '39:9 error spec.topology.workers.machinePools[0].class: Invalid value: "none": MachinePoolClass with name "none" does not exist in ClusterClass "quick"; it has none',
    ]);
  });

  test('may omit the prefix of its version, and precede or follow its class', () => {
    const fine = cluster.slice(0, cluster.indexOf('    workers')).replace('v1.34.0', '1.34.0');
    const listing = aClass('  kubernetesVersions: [v1.34.0]\n');
    expect(lines(fine, listing)).toEqual([]);
    expect(lines(listing, fine)).toEqual([]);
  });

  test('is noted when the class is elsewhere', () => {
    const { findings, notes } = check([{ name: 'cluster.yaml', text: cluster }]);
    expect(findings).toEqual([]);
    expect(notes).toEqual(['the class of Cluster one is not in the files: its variables and workers were not checked']);
  });
});

describe('a Cluster without topology', () => {
  const cluster = (version: string) =>
    `apiVersion: cluster.x-k8s.io/${version}\nkind: Cluster\nmetadata: {name: one}\nspec: {controlPlaneEndpoint: {host: h, port: 1}}\n`;

  test('must not be empty', () => {
    expect(lines(cluster('v1beta2'))).toEqual([
      '4:1 error spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set',
    ]);
  });

  test('in another version of the API is an error, because it is not checked', () => {
    expect(lines(cluster('v1alpha3'))).toEqual([
      expect.stringContaining('was not checked: Cluster is read in v1beta2'),
    ]);
  });
});

describe('a Cluster in version v1beta1', () => {
  const cluster = (spec: string) =>
    `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: one}\nspec:\n${spec}`;
  const deprecated =
    '1:1 warning apiVersion: cluster.x-k8s.io/v1beta1 Cluster is deprecated; use cluster.x-k8s.io/v1beta2 Cluster';

  test('is checked as the version that is stored', () => {
    expect(lines(cluster('  controlPlaneEndpoint: {host: h, port: 1}\n'))).toEqual([
      deprecated,
      expect.stringContaining('spec: Forbidden: one of spec.controlPlaneRef'),
    ]);
  });

  test('has findings at the fields of the file', () => {
    expect(lines(cluster('  topology:\n    class: no_name\n    version: v1.34.1\n'))).toEqual([
      deprecated,
      expect.stringMatching(/^6:\d+ error spec\.topology\.class: Invalid value: "no_name"/),
    ]);
  });

  test('must have the fields of its version', () => {
    expect(lines(cluster('  topology:\n    classRef: {name: a}\n    version: v1.34.1\n'))).toContainEqual(
      expect.stringMatching(/^6:\d+ error spec\.topology\.classRef: the kind has no such field/),
    );
  });

  test('must have the types of its version', () => {
    expect(lines(cluster('  topology:\n    class: a\n    version: 1.30\n'))).toEqual([
      expect.stringMatching(/^7:\d+ error spec\.topology\.version: must be a string/),
    ]);
  });
});
