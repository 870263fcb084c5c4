// The one write of a pass to the Node of a Machine: labels, annotations and taints.
import {
  andThen,
  type Checked,
  type JsonObject,
  type MergePatch,
  mapChecked,
  prefixed,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { NodeTaint, WorkloadNode } from '../../../../shared/api/node/reader.ts';
import { revisionOf } from '../../../../shared/machine-collections/revision-number.ts';
import {
  interruptibleLabel,
  type MapPatch,
  nodeAnnotationsOf,
  nodeLabelsOf,
  planNodeMaps,
  type SelectsKey,
  taintsFromMachine,
} from './labels.ts';
import { planTaints } from './taints.ts';

type Owner = Parameters<typeof isOutdated>[0];

/** The settings of a deployment that concern Nodes. */
export interface NodeSettings {
  readonly propagatesTaints: boolean;
  readonly syncsLabel: SelectsKey;
  readonly syncsAnnotation: SelectsKey;
}

export interface NodeSync {
  readonly machine: WholeMachine;
  readonly machineSet: Owner;
  readonly machineDeployment: Owner;
  /** Whether the infrastructure is interruptible. `undefined` if the infrastructure object could not be read. */
  readonly isInterruptible: boolean | undefined;
  readonly settings: NodeSettings;
}

export interface PlannedNode {
  /** `undefined` if the Node is as wanted. */
  readonly patch: MergePatch | undefined;
  /** Whether the patch adds the label of interruptible Nodes. */
  readonly addsInterruptible: boolean;
}

/** The patch contains a list, so it is valid only for the version of the Node that was read. */
export function planNode(node: WorkloadNode, sync: NodeSync): Checked<PlannedNode> {
  const { name } = node.metadata;
  const outdated = prefixed(
    isOutdated(sync.machineSet, sync.machineDeployment),
    `failed to check if Node ${name} is outdated`,
  );
  const taints = andThen(outdated, isOld =>
    prefixed(
      planTaints(
        { taints: node.spec.taints, stored: node.metadata.annotations[taintsFromMachine] },
        { machineTaints: sync.settings.propagatesTaints ? sync.machine.spec.taints : undefined, isOutdated: isOld },
      ),
      `failed to propagate Machine taints to Node ${name}`,
    ),
  );
  return mapChecked(taints, ({ taints: list, stored }) => {
    const maps = planNodeMaps(node.metadata, wantedMaps(sync));
    const annotations = { ...maps.annotations, ...withoutUndefined({ [taintsFromMachine]: stored }) };
    return {
      patch: toPatch({ labels: maps.labels, annotations, taints: list }),
      addsInterruptible: interruptibleLabel in maps.labels && maps.labels[interruptibleLabel] !== null,
    };
  });
}

function wantedMaps({ machine, isInterruptible, settings }: NodeSync): Parameters<typeof planNodeMaps>[1] {
  const { metadata, spec } = machine;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    labels: {
      ...nodeLabelsOf(metadata.labels, settings.syncsLabel),
      ...(isInterruptible === true ? { [interruptibleLabel]: '' } : {}),
    },
    annotations: nodeAnnotationsOf({ ...metadata, clusterName: spec.clusterName, owner }, settings.syncsAnnotation),
    isLabelUnknown: key => key === interruptibleLabel && isInterruptible === undefined,
  };
}

interface NodeChange {
  readonly labels: MapPatch;
  readonly annotations: MapPatch;
  readonly taints: WorkloadNode['spec']['taints'] | undefined;
}

function toPatch({ labels, annotations, taints }: NodeChange): MergePatch | undefined {
  const metadata = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  if (Object.keys(metadata).length === 0 && taints === undefined) {
    return undefined;
  }
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(taints === undefined ? {} : { spec: { taints: taints.map(withoutEmptyValue) } }),
  };
}

/** The API server stores no empty value. */
function withoutEmptyValue(taint: NodeTaint): JsonObject {
  const { value, ...rest } = taint;
  return value === '' ? rest : taint;
}

type Annotated = Parameters<typeof revisionOf>[0];

/** Nodes of an older MachineSet are outdated. Returns `undefined` unless both owners are known. */
function isOutdated(
  machineSet: Annotated | undefined,
  machineDeployment: Annotated | undefined,
): Checked<boolean | undefined> {
  if (machineSet === undefined || machineDeployment === undefined) {
    return valid(undefined);
  }
  const older = revisionOf(machineSet);
  const newest = revisionOf(machineDeployment);
  if (!older.ok) {
    return older;
  }
  return newest.ok ? valid(older.value < newest.value) : newest;
}
