import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Current } from '../../../../../../functions/topology/plan/current/current-topology.ts';
import { upgradeSpan } from '../../../../../../functions/topology/plan/upgrade/upgrade-plan.ts';
import { aControlPlane, aMachineDeployment, aMachinePool } from '../../../../../support/builders.ts';

describe('where an upgrade starts', () => {
  const current = (parts: {
    readonly controlPlane?: Unstructured;
    readonly machineDeployments?: readonly (readonly [string, string])[];
    readonly machinePools?: readonly (readonly [string, string])[];
  }): Current => ({
    controlPlane: parts.controlPlane === undefined ? {} : { object: parts.controlPlane },
    machineDeployments: new Map(
      (parts.machineDeployments ?? []).map(([name, version]) => [
        name,
        { object: aMachineDeployment().named(name).withVersion(version).build() },
      ]),
    ),
    machinePools: new Map(
      (parts.machinePools ?? []).map(([name, version]) => [
        name,
        { object: aMachinePool().named(name).withVersion(version).build() },
      ]),
    ),
  });
  const controlPlane = aControlPlane().withVersion('v1.31.0').build();
  const lowestOf = (found: Current): string | undefined => {
    const span = upgradeSpan('v1.32.0', found);
    return span.ok ? span.value?.workers?.text : span.error;
  };

  it('is not known while there is no control plane object', () => {
    expect(upgradeSpan('v1.32.0', current({}))).toEqual({ ok: true, value: undefined });
  });

  it.each([
    { reason: 'no workers', parts: {}, lowest: undefined },
    {
      reason: 'the lowest of both kinds',
      parts: {
        machineDeployments: [
          ['md1', 'v1.30.4'],
          ['md2', 'v1.31.0'],
        ],
        machinePools: [['mp1', '1.29']],
      },
      lowest: 'v1.29.0',
    },
    {
      reason: 'those without a version do not count',
      parts: {
        machineDeployments: [
          ['md1', ''],
          ['md2', 'v1.31.0-rc.1+x.2'],
        ],
      },
      lowest: 'v1.31.0-rc.1+x.2',
    },
  ] as const)('$reason', ({ parts, lowest }) => {
    expect(lowestOf(current({ ...parts, controlPlane }))).toBe(lowest);
  });

  it('does not count workers without a version', () => {
    const object = aMachineDeployment().withSpec({ template: undefined }).build();
    const found = { ...current({ controlPlane }), machineDeployments: new Map([['md1', { object }]]) };
    expect(lowestOf(found)).toBeUndefined();
  });

  it.each([
    { first: 'v1.31.0+new', second: 'v1.31.0+old' },
    { first: 'v1.31.0+old', second: 'v1.31.0+new' },
  ])('takes of two without an order the one that the control plane has left ($first first)', ({ first, second }) => {
    const machineDeployments = [
      ['md1', first],
      ['md2', second],
    ] as const;
    const upgraded = aControlPlane().withVersion('v1.31.0+new').build();
    expect(lowestOf(current({ machineDeployments, controlPlane: upgraded }))).toBe('v1.31.0+old');
  });

  it.each([
    {
      reason: 'the topology',
      target: 'next',
      found: current({ controlPlane }),
      error: 'failed to parse Cluster version next',
    },
    {
      reason: 'the control plane',
      target: 'v1.32.0',
      found: current({ controlPlane: aControlPlane().withVersion('old').build() }),
      error: 'failed to parse ControlPlane version old',
    },
    {
      reason: 'a control plane without one',
      target: 'v1.32.0',
      found: current({ controlPlane: aControlPlane().withSpec({ version: undefined }).build() }),
      error: 'failed to get the version from control plane spec: .spec.version is not set',
    },
    {
      reason: 'a MachineDeployment',
      target: 'v1.32.0',
      found: current({ controlPlane, machineDeployments: [['md1', 'x']] }),
      error: 'failed to parse version x of MachineDeployment md1',
    },
    {
      reason: 'a MachinePool',
      target: 'v1.32.0',
      found: current({ controlPlane, machinePools: [['mp1', 'x']] }),
      error: 'failed to parse version x of MachinePool mp1',
    },
  ])('fails when $reason has an invalid version', ({ target, found, error }) => {
    expect(upgradeSpan(target, found)).toEqual({ ok: false, error });
  });
});
