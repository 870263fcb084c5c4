// Definitions of the infrastructure and the bootstrap configuration of simulated Machines and MachinePools. The objects
// are cloned from templates.
import { movedByClusterctl } from '../../../shared/api/schema/core.ts';
import {
  ageColumn,
  type CustomResourceDefinition,
  column,
  toDefinition,
} from '../../../shared/api/schema/definition.ts';
import {
  anyObject,
  atomicList,
  filledObject,
  filledText,
  flag,
  int32,
  type JsonSchema,
  object,
  text,
  textMap,
  time,
} from '../../../shared/api/schema/json-schema.ts';
import { conditions, versionList } from '../../../shared/api/schema/status-schemas.ts';
import { bootstrapGroup, clusterColumn, durations, infrastructureGroup, readyColumn, startedAt } from './parts.ts';

const version = 'v1beta2';

const machineFields = {
  size: text('Size of a machine.'),
  image: text('What a machine starts from.'),
  tags: textMap('Tags of a machine.'),
  volumes: atomicList('Further disks.', anyObject('A disk. Stored unchanged.'), { maxItems: 16 }),
  ...durations,
};

export const machineSpec = object('Desired state of the simulated machines.', machineFields);

export const bootstrapSpec = object('How a simulated machine joins.', {
  commands: atomicList('Commands that would run.', filledText('A command.', 1024), { maxItems: 100 }),
  files: atomicList('Files that would be written.', anyObject('A file. Stored unchanged.'), { maxItems: 100 }),
  labels: textMap('Labels that the Node would get.'),
});

interface Member {
  readonly description: string;
  readonly spec: JsonSchema;
  readonly status: JsonSchema;
}

function toMember(group: string, kind: string, { description, spec, status }: Member) {
  return toDefinition({
    description,
    group,
    version,
    kind,
    labels: { [`cluster.x-k8s.io/${version}`]: version, ...movedByClusterctl },
    spec,
    required: [],
    status,
    columns: [
      clusterColumn,
      readyColumn,
      column('Template', ".metadata.annotations['cluster\\.x-k8s\\.io/cloned-from-name']"),
      ageColumn,
    ],
  });
}

export const reconciledMemberCrds: readonly CustomResourceDefinition[] = [
  toMember(infrastructureGroup, 'SimulatedMachine', {
    description: 'The infrastructure of one Machine.',
    spec: object('Desired state of the simulated machine.', {
      ...machineFields,
      providerID: text('Identity of the machine. Set when it is provisioned.'),
    }),
    status: object('Observed state of the simulated machine.', {
      conditions,
      initialization: filledObject('Milestones; once true they stay true.', {
        provisioned: flag('The machine was provisioned.'),
      }),
      addresses: atomicList('Addresses of the machine.', anyObject('An address.'), { maxItems: 16 }),
      startedAt,
      node: filledObject('The Node of the machine.', {
        startsAt: time('When its kubelet registers it.'),
        version: text('Version of its kubelet.'),
      }),
    }),
  }),
  toMember(infrastructureGroup, 'SimulatedMachinePool', {
    description: 'The infrastructure of one MachinePool.',
    spec: object('Desired state of the simulated machines.', {
      ...machineFields,
      providerIDList: atomicList('Identities of the instances.', filledText('An identity.', 512), { maxItems: 10_000 }),
    }),
    status: object('Observed state of the simulated machines.', {
      conditions,
      initialization: filledObject('Milestones; once true they stay true.', {
        provisioned: flag('The infrastructure was provisioned.'),
      }),
      replicas: int32('Instances that are reported.'),
      versions: versionList,
      instances: atomicList('Instances that run.', anyObject('A version, and how many instances have it.'), {
        maxItems: 32,
      }),
      steppedAt: time('When the last instance changed.'),
    }),
  }),
  toMember(bootstrapGroup, 'SimulatedBootstrapConfig', {
    description: 'What makes one Machine or MachinePool join its cluster.',
    spec: bootstrapSpec,
    status: object('Observed state of the bootstrap data.', {
      conditions,
      initialization: filledObject('Milestones; once true they stay true.', {
        dataSecretCreated: flag('The Secret with the bootstrap data exists.'),
      }),
      dataSecretName: text('Name of this Secret.'),
    }),
  }),
];
