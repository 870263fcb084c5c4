import { printFieldErrors, toRecord } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { problemsOfTopology } from '../../../../shared/admission/managed-topology.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import { readClusterTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { aBlueprint } from '../../../support/topology-objects.ts';

function aBlueprintWith(topology: object = {}): Blueprint {
  const blueprint = aBlueprint();
  const stored = toRecord(toRecord(blueprint.cluster.object.spec)['topology']);
  return { ...blueprint, topology: readClusterTopology({ ...stored, ...topology }) };
}

describe('a topology that is reconciled', () => {
  it('has nothing wrong with it', () => {
    expect(problemsOfTopology(aBlueprintWith())).toEqual([]);
  });

  it('may have a version without its prefix, which is read as if it had it', () => {
    expect(aBlueprintWith({ version: '1.31.0' }).topology.version).toBe('v1.31.0');
    expect(problemsOfTopology(aBlueprintWith({ version: '1.31.0' }))).toEqual([]);
  });

  it('may have taints: only the Machine controllers decide whether they are propagated', () => {
    expect(problemsOfTopology(aBlueprintWith({ controlPlane: { taints: [{ key: 'own' }] } }))).toEqual([]);
  });

  it('is reported with all its problems, with and without its class', () => {
    const errors = problemsOfTopology(
      aBlueprintWith({ version: '', workers: { machineDeployments: [{ class: 'other', name: 'md1' }] } }),
    );
    expect(printFieldErrors(errors)).toBe(
      '[spec.topology.version: Invalid value: "": must start with v, ' +
        'spec.topology.version: Invalid value: "": version must be a valid semantic version, ' +
        'spec.topology.workers.machineDeployments[0].class: Invalid value: "other": MachineDeploymentClass with name "other" does not exist in ClusterClass "class1"]',
    );
  });
});
