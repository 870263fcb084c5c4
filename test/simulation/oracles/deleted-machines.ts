// Invariant I9, the end of a Machine: its infrastructure is deleted only after its Node was drained and its volumes were
// detached, and no Node stays when the Machine is released.

import { type Instant, isJsonObject, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
import type { Engine } from '../engine/process.ts';
import type { Commit } from '../system/api-server.ts';
import type { System } from '../system/system.ts';
import { isAwaited, isSkipped } from './drains.ts';
import type { Oracle } from './monitor.ts';

const machineFinalizer = 'machine.cluster.x-k8s.io';
const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
/** A pass may have looked for a Node before it was registered. No invocation is longer. */
const youngMs = 65_000;
/** After this time without connection, the deletion of a Node with a time limit is given up. */
const givenUpAfterMs = 10_000;

interface Ended {
  readonly core: ApiCore;
  readonly node: Unstructured;
}

interface Watched extends Pick<System, 'api' | 'workloads'> {
  readonly scheduler: Engine['scheduler'];
  readonly report: (text: string) => void;
}

export class DeletedMachines implements Oracle {
  readonly #watched: Watched;
  /** The providerID of each infrastructure object, by kind, namespace and name. */
  readonly #providerIDs = new Map<string, string>();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  committed(commit: Commit): void {
    const { object, previous, writer } = commit;
    const providerID = valueAt(object.spec, 'providerID');
    if (object.kind !== 'Machine' && typeof providerID === 'string') {
      this.#providerIDs.set(keyOf(object), providerID);
    }
    if (previous === undefined || !writer.startsWith('machine.')) {
      return;
    }
    if (previous.kind === 'Machine') {
      if (isReleased(commit)) {
        this.#checkRelease(previous, writer);
      }
    } else if (isDeleted(commit)) {
      this.#checkInfrastructure(previous, writer);
    }
  }

  #checkInfrastructure(infrastructure: Unstructured, writer: string): void {
    const machine = this.#objects('Machine').find(each => infrastructureOf(each) === keyOf(infrastructure));
    const ended = machine === undefined ? undefined : this.#endedOf(machine);
    if (ended === undefined) {
      return;
    }
    const what = `I9: ${writer} deletes ${infrastructure.kind} ${infrastructure.metadata.name}`;
    for (const { metadata } of podsOf(ended).filter(isAwaited)) {
      this.#watched.report(`${what}, and its Node was not drained of Pod ${metadata.namespace}/${metadata.name}`);
    }
    for (const volume of volumesOf(ended)) {
      this.#watched.report(`${what}, and volume ${volume} is still attached to its Node`);
    }
  }

  #checkRelease(machine: Unstructured, writer: string): void {
    const { scheduler, workloads, report } = this.#watched;
    const ended = this.#endedOf(machine);
    if (ended === undefined) {
      return;
    }
    const seconds = Number(valueAt(machine.spec, 'deletion.nodeDeletionTimeoutSeconds') ?? 0);
    const lostAt = workloads.lostAt(ended.core);
    const isGivenUp = seconds > 0 && lostAt !== undefined && scheduler.now - lostAt >= givenUpAfterMs;
    if (!isGivenUp) {
      report(`I9: ${writer} released Machine ${machine.metadata.name}, and Node ${ended.node.metadata.name} stays`);
    }
  }

  /** Returns `undefined` if the Machine has no Node, or if its Node is not removed with it. */
  #endedOf(machine: Unstructured): Ended | undefined {
    const { scheduler, workloads } = this.#watched;
    const { namespace } = machine.metadata;
    const name = valueAt(machine.spec, 'clusterName');
    const cluster = this.#objects('Cluster').find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    const isGoing = cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
    if (isGoing || !this.#objects('Machine').some(other => remainsBeside(machine, other))) {
      return undefined;
    }
    const core = workloads.coreOf(cluster.metadata.uid);
    const providerID = valueAt(machine.spec, 'providerID') ?? this.#providerIDs.get(infrastructureOf(machine));
    const node = list(core, 'v1', 'Node').find(
      ({ spec }) => providerID !== undefined && valueAt(spec, 'providerID') === providerID,
    );
    return node === undefined || isYoung(node, scheduler.now) ? undefined : { core, node };
  }

  #objects(kind: string): readonly Unstructured[] {
    return [...this.#watched.api.objects().values()].filter(object => object.kind === kind);
  }
}

/** Whether `other` is a control plane Machine of the same Cluster that is not being deleted. */
function remainsBeside(machine: Unstructured, { kind, metadata, spec }: Unstructured): boolean {
  const { uid, namespace, deletionTimestamp, labels = {} } = metadata;
  return (
    kind === 'Machine' &&
    uid !== machine.metadata.uid &&
    namespace === machine.metadata.namespace &&
    deletionTimestamp === undefined &&
    controlPlaneLabel in labels &&
    valueAt(spec, 'clusterName') === valueAt(machine.spec, 'clusterName')
  );
}

/** The request that begins or ends the deletion. */
function isDeleted({ type, object, previous }: Commit): boolean {
  return (
    previous?.metadata.deletionTimestamp === undefined &&
    (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)
  );
}

function isReleased({ type, object, previous }: Commit): boolean {
  const had = previous?.metadata.finalizers?.includes(machineFinalizer) === true;
  return had && (type === 'DELETED' || object.metadata.finalizers?.includes(machineFinalizer) !== true);
}

function keyOf({ kind, metadata }: Unstructured): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function infrastructureOf({ metadata, spec }: Unstructured): string {
  return `${valueAt(spec, 'infrastructureRef.kind')} ${metadata.namespace}/${valueAt(spec, 'infrastructureRef.name')}`;
}

function isYoung({ metadata }: Unstructured, now: Instant): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? '') < youngMs;
}

function podsOf({ core, node }: Ended): readonly Unstructured[] {
  return list(core, 'v1', 'Pod').filter(({ spec }) => valueAt(spec, 'nodeName') === node.metadata.name);
}

/** The volumes that are attached to the Node, without those of Pods that stay. */
function volumesOf(ended: Ended): readonly string[] {
  const { core, node } = ended;
  const ofSkipped = podsOf(ended)
    .filter(isSkipped)
    .flatMap(({ spec }) => namesIn(valueAt(spec, 'volumes'), 'persistentVolumeClaim.claimName'));
  const attached = list(core, 'storage.k8s.io/v1', 'VolumeAttachment').filter(
    ({ spec, status }) => valueAt(spec, 'nodeName') === node.metadata.name && valueAt(status, 'attached') === true,
  );
  return attached
    .map(({ spec }) => String(valueAt(spec, 'source.persistentVolumeName')))
    .filter(name => {
      const volume = list(core, 'v1', 'PersistentVolume').find(({ metadata }) => metadata.name === name);
      return !ofSkipped.includes(String(valueAt(volume?.spec, 'claimRef.name')));
    });
}

function namesIn(items: unknown, path: string): readonly string[] {
  return (Array.isArray(items) ? items.filter(isJsonObject) : []).map(item => String(valueAt(item, path)));
}

function list(core: ApiCore, apiVersion: string, kind: string): readonly Unstructured[] {
  return core.list(core.registry.endpointOfKind(apiVersion, kind), {}).items;
}
