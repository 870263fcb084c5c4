// The picture of a MachineSet: its numbers and its Machines, oldest first. Pure.
import { compareText, toDisplayName, valueAt } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { joined, viewObject } from '../../../shared/explain/object-view.ts';
import { machinePreference } from '../../../shared/explain/referred.ts';
import { blockOf } from '../../../shared/explain/replica-causes.ts';
import type { ObjectNode, Shown } from '../../../shared/explain/tree.ts';

interface SetSnapshot {
  readonly set: WholeMachineSet;
  readonly machines: readonly WholeMachine[];
}

export function toSetTree({ set, machines }: SetSnapshot, shown: Shown): ObjectNode {
  const { metadata, spec, status, object } = set;
  const counts = `${status.availableReplicas ?? 0}/${spec.replicas ?? 0} available`;
  const { mark, detail } = viewObject(object, ['MachinesReady']);
  const block = blockOf(set);
  const nodes = machines.toSorted((a, b) => compareText(ageOf(a), ageOf(b))).map(nodeOf);
  return {
    name: toDisplayName(metadata),
    mark: block === '' ? mark : 'waiting',
    detail: joined(counts, spec.template.spec.version, block === '' ? detail : block),
    children: shown(nodes),
  };
}

function ageOf({ metadata: { creationTimestamp = '', name } }: WholeMachine): string {
  return `${creationTimestamp} ${name}`;
}

function nodeOf({ metadata, object }: WholeMachine): ObjectNode {
  const { mark, detail } = viewObject(object, machinePreference);
  const phase = valueAt(object.status, 'phase');
  return {
    name: `Machine/${metadata.name}`,
    mark,
    detail: joined(typeof phase === 'string' ? phase : '', detail),
    children: [],
  };
}
