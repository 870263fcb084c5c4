// Bugs in the rollouts of MachineDeployments.
import type { PlantedBug } from '../bug.ts';

const plan = 'functions/machinedeployment/plan';
const replicas = 'functions/machineset/phases/replicas';

export const machineDeploymentBugs: readonly PlantedBug[] = [
  {
    name: 'surge-rounded-down',
    about: 'A percentage of the surge is rounded down, so a Machine is deleted before its successor exists',
    edits: [
      {
        file: `${plan}/rollout/limits.ts`,
        before: 'resolveIntOrPercent(maxSurge, replicas, Math.ceil)',
        after: 'resolveIntOrPercent(maxSurge, replicas, Math.floor)',
      },
    ],
    workloads: ['machinedeployment-rollout'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'available-without-min-ready-seconds',
    about: 'A Machine counts as available as soon as it is ready',
    edits: [
      {
        file: `${plan}/rollout-sets.ts`,
        before: "isTrue(machine.status.conditions, 'Available')",
        after: "isTrue(machine.status.conditions, 'Ready')",
      },
      {
        file: `${plan}/rollout-sets.ts`,
        before: 'available: Math.min(status.availableReplicas ?? 0, available),',
        after: 'available,',
      },
    ],
    workloads: ['machinedeployment-rollout'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'machines-in-deletion-make-room',
    about: 'Machines that are being deleted do not count, so a Machine is created before they are gone',
    edits: [
      {
        file: `${plan}/rollout/scale-current-set.ts`,
        before: '({ spec, status }) => Math.max(spec, status)',
        after: '({ spec }) => spec',
      },
    ],
    workloads: ['machinedeployment-rollout'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'machine-name-used-twice',
    about: 'The numbers of the names begin again, so a new Machine has the name of a deleted one',
    edits: [
      {
        file: `${replicas}/machine-names.ts`,
        before: 'const first = lastNumberOf(machineSet) + 1;',
        after: 'const first = lastNumberOf(machineSet) > 0 ? 1 : 1;',
      },
    ],
    workloads: ['machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'orphans-at-any-age',
    about: 'Objects of reserved names are deleted at any age, so the object of a Machine that is being created is lost',
    edits: [
      { file: `${replicas}/orphans.ts`, before: 'return isOlder ? 0 :', after: 'return isOlder || created > 0 ? 0 :' },
      {
        file: `${replicas}/orphans.ts`,
        before: '!reserved.has(object.metadata.name) &&',
        after: 'reserved.size >= 0 &&',
      },
    ],
    workloads: ['machinedeployment-rollout', 'machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'too-many-remediations',
    about: 'Remediations in progress do not count, so more Machines are remediated at once than maxInFlight allows',
    edits: [
      {
        file: 'functions/machineset/phases/remediation/remediation-choice.ts',
        before: 'most - machines.filter(isBeingRemediated).length',
        after: 'most - 0 * machines.filter(isBeingRemediated).length',
      },
    ],
    workloads: ['machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'rollout-while-paused',
    about: 'A new template is rolled out while the rollout is paused',
    edits: [
      {
        file: `${plan}/plan-sets.ts`,
        before: 'const isPaused = deployment.spec.paused;',
        after: 'const isPaused = deployment.spec.paused && deployment.spec.replicas === 0;',
      },
    ],
    workloads: ['machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'paused-set-is-scaled',
    about: 'A MachineSet creates Machines while it is paused',
    edits: [
      {
        file: 'functions/machineset/phases/gate.ts',
        before: '?? pausedGate(machineSet, paused);',
        after: '?? (isClusterPaused ? pausedGate(machineSet, paused) : undefined);',
      },
    ],
    workloads: ['machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'orphans-of-other-owners',
    about: 'An infrastructure machine of another owner is deleted because no Machine references it',
    edits: [
      {
        file: `${replicas}/orphans.ts`,
        before: 'isOwnedBy(object, machineSet.metadata.uid) &&',
        after: 'object.metadata.uid !== machineSet.metadata.uid &&',
      },
    ],
    workloads: ['machinedeployment-life'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'remembered-contract-is-believed',
    about: 'A Machine waits for a field of the contract that its infrastructure had before',
    edits: [
      {
        file: 'shared/external/read-in-contract.ts',
        before: 'isEnough(first.answer.value, first.contract)',
        after: 'isEnough !== undefined',
      },
    ],
    workloads: ['machinedeployment-contract'],
    plan: { kind: 'undisturbed' },
  },
];
