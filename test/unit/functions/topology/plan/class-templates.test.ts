// The templates of a class by purpose.
import { describe, expect, it } from 'vitest';
import { toTemplates, toWorkerTemplates } from '../../../../../functions/topology/plan/class-templates.ts';
import { aBlueprint, aTopologyClass, topologyTemplates } from '../../../../support/topology-objects.ts';

const one = {
  bootstrap: topologyTemplates.workerBootstrap.build(),
  infrastructure: topologyTemplates.workerMachine.build(),
};
const other = {
  bootstrap: topologyTemplates.poolBootstrap.build(),
  infrastructure: topologyTemplates.poolMachine.build(),
};

describe('templates of workers', () => {
  it.each([
    { reason: 'no class', classes: [], templates: [], found: [] },
    {
      reason: 'two classes',
      classes: ['a', 'b'],
      templates: [one, other],
      found: [
        ['a', one],
        ['b', other],
      ],
    },
    {
      reason: 'of two with one name the first counts',
      classes: ['a', 'a'],
      templates: [one, other],
      found: [['a', one]],
    },
    { reason: 'a class without templates', classes: ['a', 'b'], templates: [one], found: [['a', one]] },
  ] as const)('belong to the class at the same index: $reason', ({ classes, templates, found }) => {
    const named = classes.map(name => ({ class: name }));
    expect([...toWorkerTemplates(named, templates)]).toEqual(
      found.map(([name, parts]) => [name, { class: { class: name }, ...parts }]),
    );
  });
});

describe('templates of a class', () => {
  const checked = { healthCheck: { checks: { nodeStartupTimeoutSeconds: 600 } } };
  const source = aBlueprint({ clusterClass: aTopologyClass({ controlPlane: checked }) });
  const { machineDeployments, machinePools } = source;
  const infrastructureCluster = topologyTemplates.infrastructureCluster.build();
  const controlPlane = topologyTemplates.controlPlane.build();
  const machine = topologyTemplates.controlPlaneMachine.build();

  it('bring the health check of the control plane only with machine infrastructure', () => {
    const found = { infrastructureCluster, controlPlane, machineDeployments, machinePools };
    expect(toTemplates(source, { ...found, machine })).toEqual({
      ...source,
      infrastructureCluster: { template: infrastructureCluster },
      controlPlane: {
        template: controlPlane,
        machineTemplate: machine,
        healthCheck: source.classSpec.controlPlane.healthCheck,
      },
    });
    expect(toTemplates(source, { ...found, machine: undefined }).controlPlane).toEqual({ template: controlPlane });
  });
});
