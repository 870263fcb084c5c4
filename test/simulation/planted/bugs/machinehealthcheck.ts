// Bugs in MachineHealthChecks.
import type { PlantedBug } from '../bug.ts';

const folder = 'functions/machinehealthcheck';

export const healthCheckBugs: readonly PlantedBug[] = [
  {
    name: 'any-404-means-deleted',
    about: 'Any answer of 404 means that the Node of a Machine was deleted',
    edits: [
      {
        file: `${folder}/observe/read-nodes.ts`,
        before: "return reason === 'NotFound' && [",
        after: "return reason === 'NotFound' || [",
      },
    ],
    workloads: ['health-check-outage', 'health-check-limits'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'outage-means-deleted',
    about: 'A workload cluster that does not answer has lost its Nodes',
    edits: [
      {
        file: `${folder}/observe/read-nodes.ts`,
        before: '} else if (isMissing(name, answer.failure)) {',
        after: '} else if (isMissing(name, answer.failure) || isConnectionDown(answer.failure)) {',
      },
    ],
    workloads: ['health-check-outage'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'timeout-not-awaited',
    about: 'A condition of a Node is a cause as soon as it is seen',
    edits: [
      {
        file: `${folder}/phases/health.ts`,
        before: 'message: leftMs < 0 ? message : undefined',
        after: 'message',
      },
    ],
    workloads: ['health-check-rollout'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'range-ignored',
    about: 'Machines are marked although more of them are not healthy than unhealthyInRange allows',
    edits: [
      {
        file: `${folder}/phases/trigger.ts`,
        before: 'min <= notHealthy && notHealthy <= max',
        after: 'min <= max',
      },
    ],
    workloads: ['health-check-limits'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'only-unhealthy-counted',
    about: 'Machines whose conditions have not lasted yet do not count for the limit',
    edits: [
      {
        file: `${folder}/phases/trigger.ts`,
        before: 'const notHealthy = counts.expected - counts.healthy;',
        after: 'const notHealthy = counts.unhealthy;',
      },
    ],
    workloads: ['health-check-limits'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'startup-counted-from-now',
    about: 'The timeout of a Machine without Node begins again with each pass',
    edits: [
      {
        file: `${folder}/phases/health.ts`,
        before: 'instantOf(machine.metadata.creationTimestamp) ?? now,',
        after: 'now,',
      },
    ],
    workloads: ['health-check-annotations'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'skip-annotation-ignored',
    about: 'A Machine that skips remediation is marked',
    edits: [
      {
        file: `${folder}/observe.ts`,
        before: '!(skipRemediation in machine.metadata.annotations)',
        after: 'skipRemediation !== machine.metadata.name',
      },
    ],
    workloads: ['health-check-annotations'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'remediation-begun-again',
    about: 'The condition of an owner that remediates a Machine is overwritten',
    edits: [
      {
        file: `${folder}/phases/machine-conditions.ts`,
        before: "return condition === undefined || condition.status === 'True';",
        after: "return condition === undefined || condition.status !== 'Unknown';",
      },
    ],
    workloads: ['health-check-annotations'],
    plan: { kind: 'mixed' },
  },
];
