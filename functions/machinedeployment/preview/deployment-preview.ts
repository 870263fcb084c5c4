// What `plan` shows about the rollout of a MachineDeployment: what starts it, which Machines are updated in place, and its
// steps. Pure.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { blockOf } from '../../../shared/explain/replica-causes.ts';
import type { Preflight } from '../../../shared/machine-collections/preflight-scope.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
import { assumedDefaults } from '../phases/defaults.ts';
import type { PlannedSets } from '../plan/plan-sets.ts';
import type { PlannedSet } from '../plan/rollout-sets.ts';
import { isExpired } from '../plan/sets/current-set.ts';
import type { ObservedDeployment } from '../seen.ts';
import { previewRollout } from './rollout-preview.ts';
import { toRolloutLines } from './rollout-text.ts';

/** An old MachineSet with Machines. */
interface ReplacedSet {
  readonly set: string;
  readonly replicas: number;
  readonly because: readonly string[];
  readonly how: 'replacement' | 'inPlace';
}

export interface DeploymentPreview {
  readonly lines: readonly string[];
  /** The same as JSON, with more steps. */
  readonly data: JsonObject;
}

/** A MachineSet without a name is created after a pause. */
const unnamed = 'the new MachineSet';

interface PreviewedDeployment {
  /** The MachineDeployment without defaults. */
  readonly stored: Unstructured;
  /** The checks before new Machines are created. */
  readonly preflight: Preflight;
}

/** Returns `undefined` if nothing would change. */
export function previewDeployment(
  seen: ObservedDeployment,
  plan: PlannedSets,
  { stored, preflight }: PreviewedDeployment,
): DeploymentPreview | undefined {
  const { deployment } = seen;
  const { sets, target } = plan;
  const created = { name: unnamed, createdAt: seen.now, spec: 0, status: 0, available: 0, upToDate: 0 };
  const rollout = previewRollout({
    strategy: deployment.spec.rollout.strategy.type,
    limits: sets.limits,
    current: target?.counts ?? created,
    old: sets.old.map(({ counts }) => counts),
    updatable: updatableIn(seen),
  });
  const defaults = assumedDefaults(stored);
  // The plan of the pass has already failed for the same reason.
  if (!rollout.ok || (rollout.value.steps.length === 0 && rollout.value.end === 'complete' && defaults.length === 0)) {
    return undefined;
  }
  const { replicas } = sets.limits;
  const replaced = replacedSets(seen, plan);
  const { paused } = deployment.spec;
  const blockedBy = blocksOf(plan, preflight);
  return {
    lines: [
      ...defaults.map(text => `  ${text}`),
      ...(paused ? ['  spec.paused is true: the steps follow after the pause'] : []),
      ...replaced.map(describeReplaced),
      ...toRolloutLines({ preview: rollout.value, replicas, blockedBy }),
    ],
    data: { rollout: { ...rollout.value, replicas, paused, replaced, blockedBy, defaults } },
  };
}

function updatableIn({ inPlace }: ObservedDeployment): ReadonlySet<string> {
  return new Set([...inPlace].flatMap(([name, { state }]) => (state === 'yes' ? [name] : [])));
}

/** Only the current MachineSet creates Machines. Its condition also names missing templates. */
function blocksOf({ sets: { current } }: PlannedSets, preflight: Preflight): readonly string[] {
  switch (preflight.state) {
    case 'failed':
      return preflight.messages;
    case 'error':
      return [preflight.problem];
    case 'passed': {
      const block = current === undefined ? '' : blockOf(current.set);
      return block === '' ? [] : [block];
    }
  }
}

function replacedSets(seen: ObservedDeployment, { sets }: PlannedSets): readonly ReplacedSet[] {
  const updatable = updatableIn(seen);
  return sets.old
    .filter(({ counts }) => counts.spec > 0 || counts.status > 0)
    .map(each => ({
      set: each.counts.name,
      replicas: each.counts.spec,
      because: causesOf(each, seen, sets.time),
      how: updatable.has(each.counts.name) ? 'inPlace' : 'replacement',
    }));
}

function causesOf(
  { set, counts, isDeleting }: PlannedSet,
  { deployment }: ObservedDeployment,
  time: PlannedSets['sets']['time'],
): readonly string[] {
  const { template, rollout } = deployment.spec;
  const causes = [
    ...templateDifferences(set.spec.template.spec, template.spec).map(({ message }) => message),
    ...(isExpired(counts, time) ? [`it is older than spec.rollout.after ${rollout.after}`] : []),
    ...(isDeleting ? ['it is being deleted'] : []),
  ];
  return causes.length === 0 ? ['another MachineSet has the same template'] : causes;
}

function describeReplaced({ set, because, how }: ReplacedSet): string {
  const verb = how === 'inPlace' ? 'updates Machines in place' : 'replaces Machines';
  return `  ${verb} of MachineSet ${set}: ${because.join(', ')}`;
}
