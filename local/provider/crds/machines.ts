// Definitions of the infrastructure of simulated Machines and MachinePools. The objects are cloned from templates and
// have no reconciler.
import {
  ageColumn,
  type CustomResourceDefinition,
  column,
  toDefinition,
} from '../../../shared/api/schema/definition.ts';
import {
  anyObject,
  atomicList,
  filledText,
  type JsonSchema,
  object,
  text,
  textMap,
} from '../../../shared/api/schema/json-schema.ts';
import { bootstrapGroup, clusterColumn, durations, infrastructureGroup } from './parts.ts';

const version = 'v1beta2';

export const machineSpec = object('Desired state of the simulated machines.', {
  size: text('Size of a machine.'),
  image: text('What a machine starts from.'),
  tags: textMap('Tags of a machine.'),
  volumes: atomicList('Further disks.', anyObject('A disk. Stored unchanged.'), { maxItems: 16 }),
  ...durations,
});

export const bootstrapSpec = object('How a simulated machine joins.', {
  commands: atomicList('Commands that would run.', filledText('A command.', 1024), { maxItems: 100 }),
  files: atomicList('Files that would be written.', anyObject('A file. Stored unchanged.'), { maxItems: 100 }),
  labels: textMap('Labels that the Node would get.'),
});

function toMember(
  group: string,
  kind: string,
  { description, spec }: { readonly description: string; readonly spec: JsonSchema },
) {
  return toDefinition({
    description,
    group,
    version,
    kind,
    labels: { [`cluster.x-k8s.io/${version}`]: version },
    spec,
    required: [],
    columns: [
      clusterColumn,
      column('Template', ".metadata.annotations['cluster\\.x-k8s\\.io/cloned-from-name']"),
      ageColumn,
    ],
  });
}

export const simulatedMemberCrds: readonly CustomResourceDefinition[] = [
  toMember(infrastructureGroup, 'SimulatedMachine', {
    description: 'The infrastructure of one Machine.',
    spec: machineSpec,
  }),
  toMember(infrastructureGroup, 'SimulatedMachinePool', {
    description: 'The infrastructure of one MachinePool.',
    spec: machineSpec,
  }),
  toMember(bootstrapGroup, 'SimulatedBootstrapConfig', {
    description: 'What makes one Machine or MachinePool join its cluster.',
    spec: bootstrapSpec,
  }),
];
