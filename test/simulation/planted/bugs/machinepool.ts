// Bugs in MachinePools.
import type { PlantedBug } from '../bug.ts';

const phases = 'functions/machinepool/phases';

export const machinePoolBugs: readonly PlantedBug[] = [
  {
    name: 'lost-nodes-stay-referenced',
    about: 'A MachinePool goes on naming a Node that no longer exists',
    edits: [
      {
        file: `${phases}/node-refs.ts`,
        before: 'nodeRefs.every(({ name, uid }) => uids.get(name) === uid)',
        after: 'uids.size >= 0',
      },
    ],
    workloads: ['machinepool-node-lost'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'pool-outlived-by-its-infrastructure',
    about: 'The finalizer of a MachinePool is removed while its infrastructure is being deleted',
    edits: [
      {
        file: `${phases}/pool-deletion.ts`,
        before: 'const left = objects.filter(isFound);',
        after: 'const left = objects.filter(isFound).filter(({ object }) => !isDeleting(object));',
      },
    ],
    workloads: ['machinepool-deleted-early'],
    plan: { kind: 'mixed' },
  },
];
