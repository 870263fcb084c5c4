// The preview of a deletion as lines. Pure.
import {
  type DeletionPreview,
  type DeletionStep,
  type DrainRound,
  deletionSteps,
  type PreviewedHook,
  type PreviewedPod,
  type PreviewedWait,
} from './deletion-preview.ts';

/** Each list shows its first items, and counts the others. `--json` shows more. */
const mostLines = 20;

/** Each step has a number. Its details follow, indented. */
export function toPreviewLines(preview: DeletionPreview): readonly string[] {
  const current = preview.current === undefined ? 0 : deletionSteps.indexOf(preview.current);
  return deletionSteps.flatMap((step, index) => {
    const [first = '', ...details] = linesOf(step, preview);
    const mark = preview.isDeleting && index === current ? ' (now)' : '';
    return index < current
      ? [`  ${index + 1}. ${titles[step]}: done`]
      : [`  ${index + 1}. ${titles[step]}${mark}: ${first}`, ...details.map(line => `     ${line}`)];
  });
}

const titles: Readonly<Record<DeletionStep, string>> = {
  preDrainHooks: 'pre-drain hooks',
  drain: 'drain of the Node',
  volumes: 'volumes of the Node',
  preTerminateHooks: 'pre-terminate hooks',
  infrastructure: 'deletion of the infrastructure machine',
  bootstrap: 'deletion of the bootstrap config',
  node: 'deletion of the Node',
};

function linesOf(step: DeletionStep, preview: DeletionPreview): readonly string[] {
  switch (step) {
    case 'preDrainHooks':
      return preview.nodeStays === undefined
        ? hookLines(preview.preDrainHooks)
        : [`not waited for, because ${preview.nodeStays}`];
    case 'drain':
      return drainLines(preview);
    case 'volumes':
      return volumesLines(preview);
    case 'preTerminateHooks':
      return hookLines(preview.preTerminateHooks);
    case 'infrastructure':
      return [preview.infrastructure ?? 'it is gone'];
    case 'bootstrap':
      return [preview.bootstrap ?? 'it is gone, or the Machine has none'];
    case 'node':
      return [nodeLine(preview)];
  }
}

function hookLines(hooks: readonly PreviewedHook[]): readonly string[] {
  return hooks.length === 0
    ? ['none']
    : [
        'waits until these annotations are removed from the Machine',
        ...limited(hooks.map(({ annotation, owner }) => (owner === '' ? annotation : `${annotation}, of ${owner}`))),
      ];
}

/** Returns `undefined` if the step runs and is known. */
function withoutWait({ skipped, problem }: PreviewedWait): string | undefined {
  if (skipped !== undefined) {
    return `skipped: ${skipped}`;
  }
  return problem === undefined ? undefined : `waits, and what it would do is not known: ${problem}`;
}

function limitText({ timeoutSeconds, startedAt }: PreviewedWait): string {
  const since = startedAt === undefined ? '' : `, started at ${startedAt}`;
  return `${timeoutSeconds === 0 ? 'no time limit' : `time limit ${timeoutSeconds} s`}${since}`;
}

function drainLines({ node = '', drain }: DeletionPreview): readonly string[] {
  const limit = limitText(drain);
  const other = withoutWait(drain);
  if (other !== undefined) {
    return [drain.skipped === undefined ? `${other} (${limit})` : other];
  }
  const { rounds, skip, omitted, budgetsProblem } = drain;
  return [
    `cordons ${node}, then removes its Pods (${limit})`,
    ...(rounds.length === 0 ? ['no Pod to evict'] : rounds.flatMap(roundLines)),
    ...group('skips', skip),
    ...(omitted === 0 ? [] : [`${omitted} more Pods`]),
    ...(budgetsProblem === undefined ? [] : [`PodDisruptionBudgets are not known: ${budgetsProblem}`]),
  ];
}

function roundLines({ order, evict, wait }: DrainRound, index: number): readonly string[] {
  const start = index === 0 ? '' : ', after the Pods above are gone';
  return [
    ...group(`evicts, order ${order}${start}`, evict),
    ...group(`waits for completion, without eviction${start}`, wait),
  ];
}

function group(title: string, pods: readonly PreviewedPod[]): readonly string[] {
  return pods.length === 0 ? [] : [`${title}:`, ...limited(pods.map(podText))];
}

function podText({ pod, because, terminating, blockedBy = [] }: PreviewedPod): string {
  return [
    `${pod}: ${because}`,
    ...(terminating === true ? ['it is being deleted already'] : []),
    ...blockedBy.map(budget => `blocked now by ${budget}`),
  ].join('; ');
}

function volumesLines({ volumes }: DeletionPreview): readonly string[] {
  const limit = limitText(volumes);
  const other = withoutWait(volumes);
  if (other !== undefined) {
    return [volumes.skipped === undefined ? `${other} (${limit})` : other];
  }
  const names = [
    ...volumes.claims.map(claim => `PersistentVolumeClaim ${claim}`),
    ...volumes.others.map(name => `volume ${name}`),
  ];
  return names.length === 0 ? ['none is attached'] : [`waits until these are detached (${limit})`, ...limited(names)];
}

function nodeLine({ node = '', nodeStays, nodeDeletionTimeoutSeconds }: DeletionPreview): string {
  if (nodeStays !== undefined) {
    return `skipped: ${nodeStays}`;
  }
  const limit = nodeDeletionTimeoutSeconds === 0 ? 'without time limit' : `for ${nodeDeletionTimeoutSeconds} s`;
  return `${node}, tried ${limit}`;
}

function limited(items: readonly string[]): readonly string[] {
  const more = items.length - mostLines;
  return [...items.slice(0, mostLines), ...(more > 0 ? [`${more} more`] : [])].map(item => `  ${item}`);
}
