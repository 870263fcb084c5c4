// Bugs in ClusterResourceSets and their bindings.
import type { PlantedBug } from '../bug.ts';

const functions = 'functions/clusterresourceset';

export const resourceSetBugs: readonly PlantedBug[] = [
  {
    name: 'applied-although-refused',
    about: 'A resource is recorded as applied although the workload cluster refused one of its objects',
    edits: [
      {
        file: `${functions}/phases/plan-clusters.ts`,
        before: "objects.every(object => objectResult(object, resource, outcomes).state === 'applied')",
        after: 'true',
      },
    ],
    workloads: ['resource-set'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'binding-outlives-its-cluster',
    about: 'The binding of a deleted Cluster stays',
    edits: [
      {
        file: `${functions}binding/observe.ts`,
        before: 'return metadata.deletionTimestamp !== undefined && !waitsForHook;',
        after: 'return false;',
      },
      {
        file: `${functions}binding/observe.ts`,
        before: "? { state: 'ended' }\n      :",
        after: "? { state: 'exists' }\n      :",
      },
    ],
    workloads: ['resource-set-cluster-deleted'],
    plan: { kind: 'mixed' },
  },
];
