// Bugs in ids, timers and queue settings.
import type { PlantedBug } from '../bug.ts';

export const queueBugs: readonly PlantedBug[] = [
  {
    name: 'timer-id-without-due',
    about: 'A timer has the same id whenever it is due, so the second one within five minutes is dropped',
    edits: [
      {
        file: 'shared/workqueue/ids.ts',
        before: "return digestOf('timer', timer.reconciler, toKeyText(timer.key), timer.due, timer.attempt > 0);",
        after: "return digestOf('timer', timer.reconciler, toKeyText(timer.key), timer.attempt > 0);",
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'lease-ends-during-work',
    about: 'A message is delivered again while the function that has it still works on it',
    edits: [
      {
        file: 'shared/workqueue/queue-specs.ts',
        before: 'export const leaseSeconds = 45;',
        after: 'export const leaseSeconds = 1;',
      },
    ],
    workloads: ['create', 'delete'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'message-id-is-the-key',
    about: 'Two changes of one object within five minutes have the same id',
    edits: [
      {
        file: 'shared/workqueue/ids.ts',
        before: "return digestOf('event', reconciler, toKeyText(key), [...new Set(sources)].sort());",
        after: "return digestOf('event', reconciler, toKeyText(key), sources.length > 0);",
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'long-timer-fired-early',
    about: 'A timer of more than 900 s is sent to its work queue after its first 900 s',
    edits: [
      {
        file: 'functions/timer/timer.ts',
        before: 'if (due !== undefined && due > now && !isTooFar) {',
        after: 'if (due !== undefined && due < 0) {',
      },
    ],
    workloads: ['slow'],
    plan: { kind: 'undisturbed' },
  },
  {
    name: 'timer-not-after-the-served-one',
    about: 'A clock that is behind leads to a timer that is due no later than the one being served',
    edits: [
      {
        file: 'shared/workqueue/timer-grid.ts',
        before: 'Math.max(now + wait, served + 1)',
        after: 'Math.max(now + wait, served - Infinity)',
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'clocks' },
  },
];
