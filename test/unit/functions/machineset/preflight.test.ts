// The preflight checks.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { TemplateRead } from '../../../../functions/machineset/seen.ts';
import { defaultSettings } from '../../../../functions/machineset/settings.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { checkPreflight } from '../../../../shared/machine-collections/preflight-checks.ts';
import { preflightScope } from '../../../../shared/machine-collections/preflight-scope.ts';
import {
  aCluster,
  aConfigTemplate,
  aControlPlane,
  aSet,
  aWorld,
  controlPlaneRef,
  machineSpec,
  refs,
  type SetTestObject,
  selectorLabels,
} from './set-with-machines.ts';

const skip = 'machineset.cluster.x-k8s.io/skip-preflight-checks';
const withControlPlane = aCluster.withSpec({ controlPlaneRef });
const upgrading = 'FooControlPlane ns/cp1 is upgrading ("ControlPlaneIsStable" preflight check failed)';

interface Given {
  readonly cp?: Unstructured;
  readonly version?: string;
  readonly cluster?: SetTestObject;
  readonly topology?: boolean;
  readonly checks?: readonly string[];
  readonly kubeadm?: boolean;
  readonly onSet?: string;
  readonly onTemplate?: string;
  readonly template?: TemplateRead;
}

function check(given: Given) {
  const bootstrap = {
    configRef:
      given.kubeadm === true
        ? { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'k' }
        : machineSpec.bootstrap.configRef,
  };
  const { version: _, ...spec } = machineSpec;
  const version = given.version ?? 'v1.26.2';
  const set = aSet({
    template: {
      metadata: { labels: selectorLabels },
      spec: { ...spec, bootstrap, ...(version === '' ? {} : { version }) },
    },
  });
  const onTemplate =
    given.onTemplate === undefined ? aConfigTemplate : aConfigTemplate.annotated({ [skip]: given.onTemplate });
  const facts = {
    machineSet: readWholeMachineSet((given.onSet === undefined ? set : set.annotated({ [skip]: given.onSet })).build()),
    cluster: readCluster((given.cluster ?? withControlPlane).build()),
    bootstrap: given.template ?? ({ state: 'found', ref: bootstrap.configRef, object: onTemplate.build() } as const),
    settings: {
      preflightChecks: given.checks ?? defaultSettings.preflightChecks,
      hasTopologies: given.topology ?? false,
    },
  };
  const scope = preflightScope(facts);
  if (scope.state !== 'open') {
    return scope.state === 'passed' ? 'passed' : scope.problem;
  }
  const result = checkPreflight(scope, facts, given.cp ?? aControlPlane('v1.26.2', 'v1.26.2').build());
  switch (result.state) {
    case 'passed':
      return 'passed';
    case 'failed':
      return result.messages;
    case 'error':
      return result.problem;
  }
}

const behind = aControlPlane('v1.26.2', 'v1.25.2').build();
const topologyOf = (version: string, annotations: Readonly<Record<string, string>> = {}) =>
  withControlPlane.withSpec({ topology: { classRef: { name: 'k' }, version } }).annotated(annotations);
const step = 'topology.internal.cluster.x-k8s.io/upgrade-step';
const pendingUpgrade = (to: string) =>
  `FooControlPlane ns/cp1 has a pending version upgrade to ${to} ("ControlPlaneIsStable" preflight check failed)`;
const skew = (set: string, why: string) =>
  `MachineSet version (${set}) and ControlPlane version (1.26.2) do not conform to the kubernetes version skew policy as MachineSet version is ${why} ("KubernetesVersionSkew" preflight check failed)`;
const older = 'more than 3 minor versions older than the ControlPlane version';
const kubeadm = (set: string) =>
  `MachineSet version (${set}) and ControlPlane version (1.26.2) do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane ("KubeadmVersionSkew" preflight check failed)`;
const mismatch = (set: string) =>
  `MachineSet version (${set}) is not yet the same as the ControlPlane version (v1.26.2), waiting for version to be propagated to the MachineSet ("ControlPlaneVersionSkew" preflight check failed)`;
const error = (text: string) => `failed to perform preflight checks: ${text}`;
const unreadable: TemplateRead = { state: 'failed', ref: machineSpec.bootstrap.configRef, problem: 'boom' };
const wrongStatus = (status: object) => ({ ...aControlPlane('v1.26.2', '').build(), status });

describe('a preflight check', () => {
  it.each<{ reason: string; given: Given; expected: string | readonly string[] }>([
    { reason: 'a stable control plane passes', given: {}, expected: 'passed' },
    { reason: 'a control plane that upgrades fails', given: { cp: behind }, expected: [upgrading] },
    { reason: 'a skipped check passes (48)', given: { cp: behind, onSet: 'ControlPlaneIsStable' }, expected: 'passed' },
    { reason: 'all checks are skipped (49)', given: { cp: behind, onTemplate: 'foobar, All' }, expected: 'passed' },
    {
      reason: 'the annotation of the MachineSet has precedence (50)',
      given: { cp: behind, onSet: 'KubeadmVersionSkew', onTemplate: 'All' },
      expected: [upgrading],
    },
    {
      reason: 'a control plane without running version is provisioning (51)',
      given: { cp: aControlPlane('v1.26.2', '').build() },
      expected: ['FooControlPlane ns/cp1 is provisioning ("ControlPlaneIsStable" preflight check failed)'],
    },
    {
      reason: 'the topology has a newer version (52)',
      given: { topology: true, cluster: topologyOf('v1.27.2') },
      expected: [pendingUpgrade('v1.27.2')],
    },
    {
      reason: 'the topology upgrades by a step (52)',
      given: { topology: true, cluster: topologyOf('v1.27.2', { [step]: 'v1.27.0' }) },
      expected: [pendingUpgrade('v1.27.0')],
    },
    {
      reason: 'the step is complete (52)',
      given: { topology: true, cluster: topologyOf('v1.27.2', { [step]: 'v1.26.2' }) },
      expected: 'passed',
    },
    {
      reason: 'the topology has the version of the control plane',
      given: { topology: true, cluster: topologyOf('v1.26.2') },
      expected: 'passed',
    },
    {
      reason: 'topologies are disabled',
      given: { cluster: topologyOf('v1.27.2'), version: 'v1.26.0' },
      expected: 'passed',
    },
    {
      reason: 'Machines are newer than the control plane (53)',
      given: { version: 'v1.27.0' },
      expected: [skew('1.27.0', 'higher than ControlPlane version')],
    },
    { reason: 'Machines are too old (54)', given: { version: 'v1.22.0' }, expected: [skew('1.22.0', older)] },
    { reason: 'Machines are three versions older (54)', given: { version: 'v1.23.0' }, expected: 'passed' },
    {
      reason: 'kubeadm joins the same minor version (55)',
      given: { version: 'v1.25.5', kubeadm: true },
      expected: [kubeadm('1.25.5')],
    },
    { reason: 'kubeadm joins another patch version', given: { version: 'v1.26.5', kubeadm: true }, expected: 'passed' },
    { reason: 'another bootstrap provider (55)', given: { version: 'v1.25.5' }, expected: 'passed' },
    {
      reason: 'the version of the topology has not arrived (56)',
      given: { topology: true, cluster: topologyOf('v1.26.2'), version: 'v1.26.0' },
      expected: [mismatch('v1.26.0')],
    },
    {
      reason: 'several checks fail',
      given: { topology: true, cluster: topologyOf('v1.27.2'), version: 'v1.22.0', kubeadm: true },
      expected: [pendingUpgrade('v1.27.2'), skew('1.22.0', older), kubeadm('1.22.0'), mismatch('v1.22.0')],
    },
    {
      reason: 'the control plane has no semantic version (57)',
      given: { cp: aControlPlane('v1.25.6.0', 'v1.25.6').build() },
      expected: error('failed to parse version "v1.25.6.0" of ControlPlane ns/cp1'),
    },
    {
      reason: 'the MachineSet has no semantic version',
      given: { version: 'next' },
      expected: error('failed to parse version "next" of MachineSet ns/ms1'),
    },
    { reason: 'the MachineSet has no version', given: { version: '', cp: behind }, expected: [upgrading] },
    { reason: 'the control plane has no version', given: { cp: aControlPlane('', '').build() }, expected: 'passed' },
    {
      reason: 'the version has another type',
      given: { cp: { ...behind, spec: { version: 1 } } },
      expected: error(
        'failed to get the version of ControlPlane ns/cp1: failed to get .spec.version from object: .spec.version is a number, expected a string',
      ),
    },
    {
      reason: 'the running version cannot be read',
      given: { cp: wrongStatus({ version: 1 }) },
      expected: error(
        'failed to perform "ControlPlaneIsStable" preflight check: failed to check if FooControlPlane ns/cp1 is provisioning: failed to get .status.version from object: .status.version is a number, expected a string',
      ),
    },
    {
      reason: 'the running version is no version',
      given: { cp: wrongStatus({ version: 'x' }) },
      expected: error(
        'failed to perform "ControlPlaneIsStable" preflight check: failed to check if the FooControlPlane ns/cp1 is upgrading: failed to parse version x',
      ),
    },
    { reason: 'no check is enabled (58)', given: { cp: behind, checks: [] }, expected: 'passed' },
    { reason: 'the check is not enabled', given: { cp: behind, checks: ['KubeadmVersionSkew'] }, expected: 'passed' },
    { reason: 'the check is enabled', given: { cp: behind, checks: ['ControlPlaneIsStable'] }, expected: [upgrading] },
    { reason: 'the Cluster has no control plane', given: { cp: behind, cluster: aCluster }, expected: 'passed' },
    {
      reason: 'the template with the annotation cannot be read',
      given: { template: unreadable, checks: [] },
      expected: error(`failed to read ${skip} annotation: boom`),
    },
    { reason: 'this template is not needed', given: { template: unreadable, onSet: 'All' }, expected: 'passed' },
    {
      reason: 'there is no bootstrap template',
      given: { template: { state: 'undefined' }, cp: behind },
      expected: [upgrading],
    },
  ])('$reason', ({ given, expected }) => {
    expect(check(given)).toEqual(expected);
  });
});

/** It upgrades from a version that fits the Machines. */
const fitting = aControlPlane('v1.32.0', 'v1.31.0').build();

describe('a MachineSet whose preflight checks fail', () => {
  it('creates no Machine, and tries again after a short time', async () => {
    const world = await aWorld({
      ...{ cluster: withControlPlane, before: [fitting], machines: ['m1', 'm2'] },
    });
    await world.change(refs.set, { spec: { replicas: 3 } });
    expect(await world.reconcile()).toBe('requeueAfter 15000');
    expect(world.names('Machine')).toEqual(['m1', 'm2']);
    expect(world.condition('ScalingUp')).toBe(
      `True/ScalingUp Scaling up from 2 to 3 replicas is blocked because:\n* ${upgrading}`,
    );
    expect(world.v1beta1('MachinesCreated')).toBe(`False/Error/PreflightCheckFailed ${upgrading}`);
    expect(world.status('observedGeneration')).toBe(2);
  });

  it('remediates no Machine', async () => {
    const world = await aWorld({ cluster: withControlPlane, before: [fitting], machines: ['m1', 'm2'] });
    await world.setCondition('m1', 'HealthCheckSucceeded', 'False');
    await world.setCondition('m1', 'OwnerRemediated', 'False');
    expect(await world.reconcile(5)).toBe('requeueAfter 15000');
    expect(world.conditionOf('m1', 'OwnerRemediated')).toBe(`False/RemediationDeferred * ${upgrading}`);
    expect(world.v1beta1Of('m1', 'OwnerRemediated')).toBe(`False/Warning/WaitingForRemediation ${upgrading}`);
    expect(world.isDeleting('m1')).toBe(false);
  });

  it.each([
    {
      reason: 'the control plane is missing',
      ref: controlPlaneRef,
      problem: 'failed to get ControlPlane ns/cp1: foocontrolplanes.controlplane.cluster.x-k8s.io "cp1" not found',
    },
  ])('reports that they cannot be made: $reason', async ({ ref, problem }) => {
    const world = await aWorld({ cluster: aCluster.withSpec({ controlPlaneRef: ref }) });
    const text = `failed to perform "Scale up": failed to perform preflight checks: ${problem}`;
    expect(await world.reconcile()).toBe(`failed to sync replicas: ${text}`);
    expect(world.v1beta1('MachinesCreated')).toBe(`False/Error/PreflightCheckFailed ${text}`);
    expect(world.condition('ScalingUp')).toContain(`\n* ${text}`);
  });
});
