// Bugs in the topology reconciler.
import type { PlantedBug } from '../bug.ts';

export const topologyBugs: readonly PlantedBug[] = [
  {
    name: 'second-object-for-a-role',
    about: 'What a pass made before it was killed is not recognised, so the next one makes another',
    edits: [
      {
        file: 'functions/topology/plan/names/name-candidates.ts',
        before: 'return isOurs(existing, { cluster, topologyName, shimUid: shimUid.value })',
        after: "return isOurs(existing, { cluster, topologyName: '?', shimUid: shimUid.value })",
      },
    ],
    workloads: ['topology-create'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'templates-left-behind',
    about: 'The templates of a MachineSet stay after it is deleted',
    edits: [
      {
        file: 'shared/template-cleanup/plan.ts',
        before: '...dependents.value.map(dependent => deletionPhase(seen, dependent)),',
        after: '...dependents.value.slice(0, 0).map(dependent => deletionPhase(seen, dependent)),',
      },
    ],
    workloads: ['topology-rotate'],
    plan: { kind: 'mixed' },
  },
];
