// Checks the workers of a topology. Each one needs a unique name and a class that the ClusterClass defines.
import { type FieldError, invalidValue, quote, requiredValue } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';

type List = 'machineDeployments' | 'machinePools';

const kinds = { machineDeployments: 'MachineDeployment', machinePools: 'MachinePool' } as const;

export interface TopologyWorkersToCheck {
  readonly topology: ClusterTopology;
  readonly className: { readonly name: string };
  readonly classSpec: ClassSpec;
}

export function problemsOfTopologyWorkers(input: TopologyWorkersToCheck): readonly FieldError[] {
  return [...problemsOfList('machineDeployments', input), ...problemsOfList('machinePools', input)];
}

function problemsOfList(list: List, { topology, className, classSpec }: TopologyWorkersToCheck): readonly FieldError[] {
  const kind = kinds[list];
  const classes = new Set(classSpec.workers[list].map(each => each.class));
  const names = new Set<string>();
  return topology.workers[list].flatMap((each, index) => {
    const field = `spec.topology.workers.${list}[${index}]`;
    const missing = `${kind}Class with name ${quote(each.class)} does not exist in ClusterClass ${quote(className.name)}`;
    const repeated = `name must be unique. ${kind} with name ${quote(each.name)} is defined more than once`;
    const isRepeated = names.has(each.name);
    names.add(each.name);
    const ofName =
      each.name === ''
        ? [requiredValue(`${field}.name`, 'name must not be empty')]
        : isRepeated
          ? [invalidValue(`${field}.name`, each.name, repeated)]
          : [];
    return [...(classes.has(each.class) ? [] : [invalidValue(`${field}.class`, each.class, missing)]), ...ofName];
  });
}
