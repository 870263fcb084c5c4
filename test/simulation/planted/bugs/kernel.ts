// Bugs in the processing of a batch and in its follow-ups.
import type { PlantedBug } from '../bug.ts';

const batch = 'shared/kernel/batch.ts';

export const kernelBugs: readonly PlantedBug[] = [
  {
    name: 'acknowledges-before-follow-up',
    about: 'A message is acknowledged while its follow-up is still on its way',
    edits: [
      {
        file: batch,
        before: 'const [sent] = await queues.send(queue, [message]);',
        after: `const sent = { ok: true, error: undefined };
  void clock.sleep(20).then(() => queues.send(queue, [message]));`,
      },
      {
        file: batch,
        before:
          '{ queues, metrics, log, reconciler }: BatchContext<Ports, Seen>,\n  work: KeyWork,\n  { queue, message }: FollowUp,',
        after:
          '{ queues, metrics, log, reconciler, clock }: BatchContext<Ports, Seen>,\n  work: KeyWork,\n  { queue, message }: FollowUp,',
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'swallowed-send-error',
    about: 'A follow-up that no queue accepted counts as sent',
    edits: [
      {
        file: batch,
        before: "log.error('Sending the follow-up failed', sent?.error, { queue });\n  return work.messageIds;",
        after: "log.error('Sending the follow-up failed', sent?.error, { queue });\n  return [];",
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'retry-without-attempt',
    about: 'A retry does not count the failures before it, so the back-off never grows',
    edits: [
      {
        file: 'shared/kernel/follow-up.ts',
        before: 'attempt: work.attempt + 1,\n            trial: context.nextTrial',
        after: 'attempt: work.attempt,\n            trial: context.nextTrial',
      },
    ],
    workloads: ['create', 'delete'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'echo-suppressed-by-last-cause',
    about: 'Events soon after a reconcile that wrote are taken for the echoes of its own writes',
    edits: [
      {
        file: batch,
        before: '  const startedAt = context.clock.now();\n  const reconciled =',
        after: `  const startedAt = context.clock.now();
  const isEvent = work.causes.length === 1 && work.causes[0] === 'event';
  const wroteAt = echoes.get(JSON.stringify([work.key, context.managementCluster])) ?? 0;
  if (isEvent && context.clock.now() - wroteAt < 1_500) {
    return [];
  }
  const reconciled =`,
      },
      {
        file: batch,
        before: 'function refuse<',
        after: 'const echoes = new Map<string, number>();\n\nfunction refuse<',
      },
      {
        file: batch,
        before: '  return followUp === undefined ? [] : sendInstead(',
        after: `  if (reconciled.writes > 0) {
    echoes.set(JSON.stringify([work.key, context.managementCluster]), context.clock.now());
  }
  return followUp === undefined ? [] : sendInstead(`,
      },
    ],
    workloads: ['create', 'delete', 'scale'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'coalescing-drops-a-key',
    about: 'Of a batch with several objects one is not reconciled',
    edits: [
      {
        file: 'shared/kernel/coalesce.ts',
        before: 'return { work: [...groups.values()].map(',
        after: 'return { work: [...groups.values()].slice(0, Math.max(1, groups.size - 1)).map(',
      },
    ],
    workloads: ['several'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'wrong-ids-reported',
    about: 'A batch that failed in part reports the messages of an object that succeeded',
    edits: [
      {
        file: batch,
        before: 'const back = [...kept, ...failed.flat()];',
        after: `const wrong = failed.flat().length === 0 ? [] : (work.find((_, index) => failed[index]?.length === 0) ?? work[0]);
  const back = [...kept, ...(Array.isArray(wrong) ? [] : (wrong?.messageIds ?? []))];`,
      },
    ],
    workloads: ['several'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'promise-left-running',
    about: 'Events are written while the handler has already answered',
    edits: [
      {
        file: 'packages/reconciler/pass.ts',
        before: '  await recordEvents(',
        after: '  void recordEvents(',
      },
    ],
    workloads: ['create', 'delete'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'status-written-wholesale',
    about: 'The reported conditions replace those that others wrote meanwhile',
    edits: [
      {
        file: 'packages/reconciler/write-status.ts',
        before: 'merged: mergeConditions(current) }',
        after: 'merged: { ok: true as const, list: current.after } }',
      },
      {
        file: 'packages/reconciler/write-status.ts',
        before: '        resourceVersion: latest.metadata.resourceVersion,\n',
        after: '',
      },
    ],
    workloads: ['neighbours'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'finalizers-patched-without-precondition',
    about: 'The list of finalizers is written as it was once read, even if it has changed since',
    edits: [
      {
        file: 'packages/reconciler/act.ts',
        before: 'const lock = withoutUndefined({ resourceVersion: version });',
        after: 'const lock = {};',
      },
    ],
    workloads: ['neighbours'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'cold-batch-fails',
    about: 'A function that cannot reach its API server fails the batch instead of sending timers',
    edits: [
      {
        file: batch,
        before: '    const { work, kept } = read(context, messages);\n    const unsent',
        after:
          '    if (failed.passes === 0) {\n      throw error;\n    }\n    const { work, kept } = read(context, messages);\n    const unsent',
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'outage' },
  },
  {
    name: 'outage-is-terminal',
    about: 'A function that cannot reach its API server acknowledges its messages without timers',
    edits: [
      {
        file: batch,
        before: "result: { kind: 'failed', error, terminal: false }, passes: 0, writes: 0 }",
        after: "result: { kind: 'failed', error, terminal: true }, passes: 0, writes: 0 }",
      },
    ],
    workloads: ['create', 'scale'],
    plan: { kind: 'outage' },
  },
  {
    name: 'contested-finalizers-repeated-blindly',
    about: 'A contested patch of finalizers is repeated although another writer has changed them',
    edits: [
      {
        file: 'packages/reconciler/finalizers.ts',
        before:
          'allows: newer => isSame(finalizerState, metadata, newer) && (!isRemoval || isSame(demands, metadata, newer)),',
        after: 'allows: newer => newer.uid === metadata.uid,',
      },
    ],
    workloads: ['neighbours'],
    plan: { kind: 'mixed' },
  },
  {
    name: 'finalizer-before-the-last-status',
    about: 'The last finalizer is removed before the last status is stored',
    edits: [
      {
        file: 'packages/reconciler/pass.ts',
        before: '    actions.filter(({ afterStatus }) => afterStatus !== true),\n  );',
        after: '    actions,\n  );',
      },
    ],
    workloads: ['delete', 'delete-early'],
    plan: { kind: 'mixed' },
  },
];
