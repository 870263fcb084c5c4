// Bugs in the rollouts of MachineDeployments.
import type { PlantedBug } from '../bug.ts';

const plan = 'functions/machinedeployment/plan';

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
        file: `${plan}/counts.ts`,
        before: "isTrue(machine.status.conditions, 'Available')",
        after: "isTrue(machine.status.conditions, 'Ready')",
      },
      {
        file: `${plan}/counts.ts`,
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
];
