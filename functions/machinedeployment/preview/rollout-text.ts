// The preview of a rollout as lines. Pure.
import type { RolloutPreview, RolloutStep } from './rollout-preview.ts';

/** `--json` shows more steps. */
const mostLines = 20;

interface TextFacts {
  readonly preview: RolloutPreview;
  readonly replicas: number;
  /** The texts of the preflight checks that would block new Machines. */
  readonly blockedBy: readonly string[];
}

export function toRolloutLines({ preview, replicas, blockedBy }: TextFacts): readonly string[] {
  const { steps } = preview;
  if (steps.length === 0) {
    return [`  ${preview.end === 'complete' ? 'nothing changes' : waits}`];
  }
  const shown = steps.slice(0, mostLines).map((step, index) => `  ${index + 1}. ${describeStep(step)}`);
  const hidden = steps.length - shown.length;
  return [
    `  ${summarize(preview)}`,
    `  at most ${preview.mostMachines} Machines exist, ${preview.surgeMachines} more than ${replicas} replicas; at least ${preview.fewestAvailable} stay available`,
    ...blockedBy.map(text => `  new Machines are blocked: ${text}`),
    ...shown,
    ...(hidden > 0 ? [`  ${hidden} more steps${preview.end === 'cut' ? ', and others after them' : ''}`] : []),
    ...(preview.end === 'waits' ? [`  then ${waits}`] : []),
  ];
}

const waits = 'no Machine is replaced until a user deletes one';

function summarize({ created, deleted, updated, steps }: RolloutPreview): string {
  const parts = [
    ...(created > 0 ? [`creates ${machines(created)}`] : []),
    ...(updated > 0 ? [`updates ${machines(updated)} in place`] : []),
    ...(deleted > 0 ? [`deletes ${machines(deleted)}`] : []),
  ];
  return `${parts.join(', ')}, in ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
}

function describeStep({ changes, updated, mostMachines, fewestAvailable }: RolloutStep): string {
  const scaled = changes.map(({ set, from, to }) => `${set} ${from} -> ${to}`).join(', ');
  const moved = updated > 0 ? `, ${machines(updated)} updated in place` : '';
  return `${scaled}${moved} (${machines(mostMachines)}, ${fewestAvailable} available)`;
}

function machines(count: number): string {
  return `${count} ${count === 1 ? 'Machine' : 'Machines'}`;
}
