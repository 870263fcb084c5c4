// Bugs in the topology reconciler.
import type { PlantedBug } from '../bug.ts';

export const topologyBugs: readonly PlantedBug[] = [
  {
    name: 'second-object-for-a-role',
    about: 'What a pass made before it was killed is not recognised, so the next one makes another',
    edits: [
      {
        file: 'functions/topology/read/names.ts',
        before: 'if (found.value) {',
        after: 'if (found.value && n > 0) {',
      },
    ],
    workloads: ['topology-create'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'templates-left-behind',
    about: 'The templates of a MachineSet stay when it goes',
    edits: [
      {
        file: 'shared/template-cleanup/decide.ts',
        before: '...seen.doomed.value.map(toDelete),',
        after: '...seen.doomed.value.slice(0, 0).map(toDelete),',
      },
    ],
    workloads: ['topology-rotate'],
    plan: { kind: 'mixed' },
  },
];
