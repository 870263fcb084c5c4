// Bugs in the sources of events and in the resync.
import type { PlantedBug } from '../bug.ts';

export const sourceBugs: readonly PlantedBug[] = [
  {
    name: 'relist-with-version-ids',
    about: 'What a list shows after a restart has the id of the version that was sent before',
    edits: [
      {
        file: 'shared/workqueue/ids.ts',
        before: "if (cause === 'event' && sources",
        after: "if ((cause === 'event' || cause === 'list') && sources",
      },
    ],
    workloads: ['delete', 'delete-stuck'],
    plan: { kind: 'absences' },
  },
  {
    name: 'audited-removal-with-version-id',
    about: 'The answer to the patch that removes the last finalizer has the version before the removal',
    edits: [
      {
        file: 'functions/audit-webhook/changes.ts',
        before: "(deletionTimestamp !== undefined || verb === 'delete')",
        after: "(deletionTimestamp === '' || verb === 'delete')",
      },
    ],
    workloads: ['delete-slowly'],
    plan: { kind: 'audit' },
  },
  {
    name: 'resync-skips-the-last-page',
    about: 'The resync leaves out the objects on the last page of the list',
    edits: [
      {
        file: 'packages/apimachinery/pages.ts',
        before: '    yield answer;\n    if (next === undefined) {',
        after: `    if (!answer.ok || next !== undefined) {
      yield answer;
    }
    if (next === undefined) {`,
      },
    ],
    workloads: ['several'],
    plan: { kind: 'lossy', resync: true },
  },
];
