// Bugs in the deletion of Machines.
import type { PlantedBug } from '../bug.ts';

const stages = 'functions/machine/phases/deletion';

export const machineBugs: readonly PlantedBug[] = [
  {
    name: 'drained-before-cordoned',
    about: 'Pods are evicted from a Node to which other Pods may still be scheduled',
    edits: [
      {
        file: `${stages}/drain-stage.ts`,
        before: 'return namedNode.node.spec.unschedulable ? yield* evict(',
        after: 'return namedNode.node.metadata.name !== "" ? yield* evict(',
      },
    ],
    workloads: ['machine-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'drain-without-evictions',
    about: 'A Node counts as drained while its Pods run',
    edits: [
      {
        file: `${stages}/drain-stage.ts`,
        before: 'if (!pods.some(isAwaited)) {',
        after: 'if (pods.length > 0) {',
      },
    ],
    workloads: ['machine-life', 'machine-budget'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'eviction-by-name',
    about: 'An eviction is not limited to the uid of the Pod, so it evicts another Pod with the same name',
    edits: [
      {
        file: 'packages/reconciler/workload-writes.ts',
        before: '{ uid, ...withoutUndefined(',
        after: '{ ...withoutUndefined(',
      },
    ],
    workloads: ['machine-replaced-pods'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'hook-is-ignored',
    about: 'The deletion of a Machine does not wait for its pre-drain hooks',
    edits: [
      {
        file: `${stages}/plan-deletion.ts`,
        before: '[] = [\n  preDrainHooks,\n  infrastructureIsKnown,',
        after: '[] = [\n  infrastructureIsKnown,',
      },
    ],
    workloads: ['machine-hook'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'unreadable-infrastructure-is-gone',
    about: 'An infrastructure machine that could not be read counts as deleted',
    edits: [
      {
        file: `${stages}/object-deletion.ts`,
        before: "if (infrastructure.state !== 'unknown') {",
        after: 'if (infrastructure.state.length > 0) {',
      },
      {
        file: `${stages}/object-deletion.ts`,
        before: "case 'unknown':\n      return held({ deleting: waitingFor(role, scoped.ref.kind) });",
        after: "case 'unknown':\n      return passed();",
      },
    ],
    workloads: ['machine-life', 'machine-hook', 'machine-budget'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'finalizer-before-the-infrastructure',
    about: 'The finalizer of a Machine is removed while its infrastructure machine is being deleted',
    edits: [
      {
        file: `${stages}/object-deletion.ts`,
        before: '[deleteAction(role, scoped)] }\n        : held({ deleting: waitingFor(role, scoped.ref.kind) });',
        after: '[deleteAction(role, scoped)] }\n        : passed();',
      },
    ],
    workloads: ['machine-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'node-without-own-provider-id',
    about: 'A Machine in deletion without providerID does not take that of its infrastructure machine',
    edits: [
      {
        file: 'functions/machine/phases/infrastructure.ts',
        before: "return own === '' && isDeleting(machine)",
        after: "return own === 'none' && isDeleting(machine)",
      },
    ],
    workloads: ['machine-without-provider-id'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'finished-pod-holds-no-volume',
    about: 'A finished Pod that a drain waits for is skipped, and its volumes with it',
    edits: [
      {
        file: `${stages}/classify-pods.ts`,
        before: "valid({ ...waitCompleted, cause: { by: 'finished' }, isCompleted: true })",
        after: "valid({ ...skip, cause: { by: 'finished' } })",
      },
    ],
    workloads: ['machine-finished-pod'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'failed-look-up-is-no-node',
    about: 'A failed look-up counts as if the Machine in deletion had no Node',
    edits: [
      {
        file: `${stages}/node-removal.ts`,
        before: 'return isConnectionDead && now - failingSince >= deadAfterMs',
        after: 'return isConnectionDead || now - failingSince <= deadAfterMs',
      },
    ],
    workloads: ['machine-without-node-ref'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'node-given-up-without-attempt',
    about: 'The deletion of a Node is given up after a second attempt that was not sent',
    edits: [
      {
        file: `${stages}/node-deletion.ts`,
        before: 'return isSent && now - failingSince >= shortestTryingMs && isOverdue(machine, now);',
        after: 'return (isSent || now > failingSince) && now > failingSince && isOverdue(machine, now);',
      },
    ],
    workloads: ['machine-node-unreachable'],
    plan: { kind: 'undisturbed' },
  },
  {
    name: 'node-deleted-twice',
    about: 'A released Machine that another finalizer keeps deletes its Node a second time',
    edits: [
      {
        file: `${stages}/plan-deletion.ts`,
        before: '!metadata.finalizers.includes(machineFinalizer) && reasonOf',
        after: 'metadata.finalizers.length === 0 && reasonOf',
      },
    ],
    workloads: ['machine-node-again'],
    plan: { kind: 'mixed' },
  },
];
