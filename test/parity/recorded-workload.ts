// Restores the objects of a workload cluster from a snapshot of the corpus. Snapshots contain only parts of them. The
// other parts are those that the scenario wrote.
import { isJsonObject, type JsonObject, memberOf, toRecord, valueAt } from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import type { ScenarioStep } from './steps.ts';

/** Snapshots contain parts of these kinds. */
const shown = ['Node', 'Pod', 'Secret'];
/** Snapshots do not contain these kinds. */
const hidden = ['DaemonSet', 'MachineDrainRule', 'PersistentVolume', 'PodDisruptionBudget', 'VolumeAttachment'];

/** An object in symbols. */
type PlayedObject = JsonObject & { readonly metadata: { readonly name: string } };
type PlayedObjects = Readonly<Record<string, PlayedObject>>;

/** Returns the objects of a snapshot, by `Kind/name`, with all parts that the Machine reconciler reads. */
export function completeWorkload(
  steps: readonly ScenarioStep[],
  snapshot: string,
  recorded: PlayedObjects,
): PlayedObjects {
  const played = playUpTo(steps, snapshot);
  const objects = Object.entries(recorded).map(
    ([key, object]) =>
      [key, shown.includes(kindOf(key)) ? merge(played.get(key) ?? healthy(key, recorded), object) : object] as const,
  );
  const others = [...played].filter(([key]) => hidden.includes(kindOf(key)));
  return Object.fromEntries([...objects, ...others]);
}

function kindOf(key: string): string {
  return key.split('/')[0] ?? '';
}

/** A Node that the corpus played. Its Machine shows the nodeInfo. */
function healthy(key: string, recorded: PlayedObjects): JsonObject {
  const machine = Object.values(recorded).find(object => `Node/${valueAt(object, 'status.nodeRef.name')}` === key);
  const condition = (type: string, status: string) => ({ type, status, reason: 'Kubelet', message: '' });
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => condition(type, 'False'));
  const conditions = [...pressures, condition('Ready', 'True')];
  return kindOf(key) === 'Node' ? { status: { conditions, nodeInfo: valueAt(machine, 'status.nodeInfo') } } : {};
}

/** Metadata and taints are those in the snapshot. */
function merge(played: JsonObject, recorded: PlayedObject): PlayedObject {
  const { metadata, spec } = recorded;
  const whole = applyMergePatch(played, recorded);
  const { taints: _, ...others } = toRecord(whole['spec']);
  const taints = memberOf(spec, 'taints');
  return { ...whole, metadata, spec: { ...others, ...(taints === undefined ? {} : { taints }) } };
}

function playUpTo(steps: readonly ScenarioStep[], snapshot: string): ReadonlyMap<string, PlayedObject> {
  const objects = new Map<string, PlayedObject>();
  const change = ({ kind, name }: { readonly kind: string; readonly name: string }, body: JsonObject): void => {
    const key = `${kind}/${name}`;
    // True: a patched object is an object.
    objects.set(key, applyMergePatch(objects.get(key) ?? {}, body) as PlayedObject);
  };
  for (const { apply = [], patch, patchStatus, delete: gone, settle } of steps) {
    for (const manifest of apply) {
      change({ kind: manifest.kind, name: manifest.metadata.name }, manifest);
    }
    if (patch !== undefined) {
      change(patch, patch.patch);
    }
    if (patchStatus !== undefined) {
      change(patchStatus, { status: patchStatus.status });
    }
    if (gone !== undefined) {
      objects.delete(`${gone.kind}/${gone.name}`);
    }
    if ((isJsonObject(settle) ? settle['name'] : settle) === snapshot) {
      return objects;
    }
  }
  return objects;
}
