// The taints that the Machine reconciler sets on and removes from a Node. A taint is identified by key and effect.
import { type Checked, compareText, invalid, quote, valid } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { NodeTaint } from '../../../../shared/api/node/reader.ts';
import { uninitializedTaint } from '../../../../shared/api/node/uninitialized.ts';

type MachineTaint = WholeMachine['spec']['taints'][number];

/** Pods prefer Nodes of the newest MachineSet of a MachineDeployment. */
const outdated = { key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' };

interface NodeTaints {
  readonly taints: readonly NodeTaint[];
  /** The stored taints of the Machine. `undefined` before the first propagation. */
  readonly stored: string | undefined;
}

interface WantedTaints {
  /** `undefined` if the feature gate MachineTaintPropagation is off. */
  readonly machineTaints: readonly MachineTaint[] | undefined;
  /** Whether a newer MachineSet exists. `undefined` if the Machine belongs to no MachineDeployment. */
  readonly isOutdated: boolean | undefined;
}

interface PlannedTaints {
  /** `undefined` if the taints are as wanted. */
  readonly taints: readonly NodeTaint[] | undefined;
  /** The value of `taintsFromMachine`. `undefined` if it is stored already, or if the feature gate is off. */
  readonly stored: string | undefined;
}

export function planTaints(node: NodeTaints, { machineTaints, isOutdated }: WantedTaints): Checked<PlannedTaints> {
  const initialized = without(node.taints, uninitializedTaint);
  const propagated =
    machineTaints === undefined ? valid({ taints: initialized }) : propagate(initialized, node, machineTaints);
  if (!propagated.ok) {
    return propagated;
  }
  const { taints } = propagated.value;
  const all = isOutdated === true ? ensured(taints, { ...outdated, value: '' }) : without(taints, outdated);
  const stored = machineTaints === undefined ? undefined : toStored(machineTaints);
  return valid({
    taints: isSame(all, node.taints) ? undefined : all,
    stored: stored === node.stored ? undefined : stored,
  });
}

/** Taints with propagation OnInitialization are set once. Taints with propagation Always are kept in step. */
function propagate(
  present: readonly NodeTaint[],
  { stored }: NodeTaints,
  machineTaints: readonly MachineTaint[],
): Checked<{ readonly taints: readonly NodeTaint[] }> {
  const isFirst = stored === undefined;
  const wanted = machineTaints.filter(
    ({ propagation }) => propagation === 'Always' || (propagation === 'OnInitialization' && isFirst),
  );
  const ensuredAll = wanted.reduce(ensured, present);
  const entries = (stored ?? '').split(',').filter(entry => entry !== '');
  let taints = ensuredAll;
  for (const entry of entries) {
    const [key = '', effect, ...more] = entry.split(':');
    if (effect === undefined || more.length > 0) {
      return invalid(`invalid taint format: ${quote(entry)}`);
    }
    const isKept = machineTaints.some(
      taint =>
        taint.key === key &&
        taint.effect === effect &&
        (taint.propagation === 'Always' || taint.propagation === 'OnInitialization'),
    );
    taints = isKept ? taints : without(taints, { key, effect });
  }
  return valid({ taints });
}

function toStored(machineTaints: readonly MachineTaint[]): string {
  return machineTaints
    .filter(({ propagation }) => propagation === 'Always')
    .map(({ key, effect }) => `${key}:${effect}`)
    .sort(compareText)
    .join(',');
}

type Identity = Pick<NodeTaint, 'key' | 'effect'>;

function isSameTaint(a: Identity, b: Identity): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** Replaces another value in place, or appends the taint. Returns the same list if it contains the taint. */
function ensured(taints: readonly NodeTaint[], { key, effect, value }: NodeTaint): readonly NodeTaint[] {
  const taint = { key, effect, value };
  const existing = taints.find(each => isSameTaint(each, taint));
  if (existing === undefined) {
    return [...taints, taint];
  }
  return existing.value === value ? taints : taints.map(each => (each === existing ? taint : each));
}

function without(taints: readonly NodeTaint[], taint: Identity): readonly NodeTaint[] {
  return taints.filter(each => !isSameTaint(each, taint));
}

/** All changes keep the remaining taints as the same objects. */
function isSame(a: readonly NodeTaint[], b: readonly NodeTaint[]): boolean {
  return a.length === b.length && a.every((taint, index) => taint === b[index]);
}
