// Bugs in the Cluster reconciler and in the simulated provider.
import type { PlantedBug } from '../bug.ts';

export const clusterBugs: readonly PlantedBug[] = [
  {
    name: 'finalizer-before-children',
    about: 'The finalizer of a Cluster is removed while its workers still exist',
    edits: [
      {
        file: 'functions/cluster/phases/cluster-deletion.ts',
        before: 'if (awaited.length > 0) {',
        after: 'if (awaited.length > 2) {',
      },
    ],
    workloads: ['delete', 'delete-stuck'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'finalizer-after-a-failed-list',
    about: 'A list of descendants that could not be read counts as empty',
    edits: [
      {
        file: 'functions/cluster/phases/cluster-deletion.ts',
        before: "if (!descendants.known) {\n    return { wait: 'knowledge', gone: [] };",
        after: "if (!descendants.known) {\n    return { wait: 'nothing', gone: [] };",
      },
    ],
    workloads: ['delete', 'delete-stuck'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'create-with-a-random-name',
    about: 'What is created gets another name with each try',
    edits: [
      {
        file: 'packages/reconciler/record-events.ts',
        before: 'metadata: { name: eventName(object, draft), namespace: home },',
        after: 'metadata: { name: eventName(object, draft) + Math.random().toString(36).slice(2), namespace: home },',
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'waits-without-a-timer',
    about: 'A Cluster that waits for its certificate authority sets no timer',
    edits: [
      {
        file: 'functions/cluster/phases/kubeconfig-secret.ts',
        before: 'return concluded({ requeues: [authorityGapMs(seen, now)] });',
        after: 'return concluded({ requeues: [authorityGapMs(seen, now)].slice(1) });',
      },
    ],
    workloads: ['late-authority'],
    plan: { kind: 'mixed' },
  },
];
