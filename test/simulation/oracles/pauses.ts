// Invariant I6, second half: only the finalizer and the conditions about the pause of a paused object are written.

import { groupOf, isJsonObject, type Unstructured } from '@capi-serverless/apimachinery';
import type { ServedRequest } from '../ports/kubernetes.ts';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import type { Oracle } from './monitor.ts';

const pausedAnnotation = 'cluster.x-k8s.io/paused';
const allowedConditions: ReadonlySet<string> = new Set(['Paused', 'TopologyReconciled']);

/**
 * A process that read the object before the pause has the old state. So a write is a violation only if its process read
 * the paused object at the beginning of a pass, after the pause was stored.
 */
export function watchPauses(api: SimulatedApi, report: (text: string) => void): Oracle {
  /** The number of commits so far. */
  let commits = 0;
  /** The commit at which each object was paused. */
  const pausedSince = new Map<string, number>();
  /** The last read of each object, by process and object. */
  const readAt = new Map<string, number>();
  /** The processes and objects whose status write was lost. The read that follows belongs to the same pass. */
  const lostStatusWrites = new Set<string>();

  const check = ({ object, previous, writer }: Commit): void => {
    for (const pausing of previous === undefined ? [] : pausingOf(api, previous)) {
      const since = pausedSince.get(nameOf(pausing));
      const read = readAt.get(`${writer} ${nameOf(pausing)}`);
      if (since !== undefined && read !== undefined && read >= since && previous !== undefined) {
        const changed = changedBeyondPause(previous, object);
        if (changed !== undefined) {
          report(`I6: ${writer} changed ${changed} of ${nameOf(object)} while ${nameOf(pausing)} is paused`);
        }
      }
    }
  };

  return {
    served(request) {
      if (request.verb === 'get' && !lostStatusWrites.delete(toId(request))) {
        readAt.set(toId(request), commits);
      }
    },
    answered(request, answer) {
      if (request.subresource === 'status' && !answer.ok && answer.failure.reason === 'Conflict') {
        lostStatusWrites.add(toId(request));
      }
    },
    committed(commit) {
      if (commit.type === 'MODIFIED' && commit.writer !== 'user' && commit.writer !== 'server') {
        check(commit);
      }
      commits += 1;
      const name = nameOf(commit.object);
      if (commit.type === 'DELETED' || !isPaused(commit.object)) {
        pausedSince.delete(name);
      } else if (!pausedSince.has(name)) {
        pausedSince.set(name, commits);
      }
    },
  };
}

function toId({ process, of }: ServedRequest): string {
  return `${process.name} ${of.kind}/${of.namespace ?? ''}/${'name' in of ? of.name : ''}`;
}

/** Returns the object itself, and the Cluster that owns it. */
function pausingOf(api: SimulatedApi, object: Unstructured): readonly Unstructured[] {
  const owner = object.metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && groupOf(apiVersion) === 'cluster.x-k8s.io',
  );
  const cluster = owner && api.objects().get(`Cluster/${object.metadata.namespace ?? ''}/${owner.name}`);
  return cluster === undefined ? [object] : [object, cluster];
}

function isPaused({ kind, metadata, spec }: Unstructured): boolean {
  const bySpec = kind === 'Cluster' && isJsonObject(spec) && spec['paused'] === true;
  return bySpec || metadata.annotations?.[pausedAnnotation] !== undefined;
}

function nameOf({ kind, metadata }: Unstructured): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Returns the part of the object that differs, apart from changes that a pause allows. */
function changedBeyondPause(before: Unstructured, after: Unstructured): string | undefined {
  const parts: readonly (readonly [string, (of: Unstructured) => unknown])[] = [
    ['spec', of => of.spec],
    ['labels', of => of.metadata.labels],
    ['annotations', of => of.metadata.annotations],
    ['owner references', of => of.metadata.ownerReferences],
    ['status', statusBeyondPause],
  ];
  return parts.find(([, part]) => JSON.stringify(part(before)) !== JSON.stringify(part(after)))?.[0];
}

function statusBeyondPause({ status }: Unstructured): unknown {
  const { conditions, ...others } = isJsonObject(status) ? status : {};
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const compared = list.filter(each => !(isJsonObject(each) && allowedConditions.has(String(each['type']))));
  return { ...others, conditions: compared };
}
