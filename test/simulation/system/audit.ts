// The audit events of the API server, in batches that may be reordered and repeated, and the audit function.

import { groupOf, pluralOf, type Unstructured, versionOf } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { createAuditSources } from '../../../functions/audit-webhook/audit-sources.ts';
import { enqueueEvents } from '../../../functions/audit-webhook/enqueue-events.ts';
import type { AuditEvent } from '../../../functions/audit-webhook/event.ts';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import type { Commit, SimulatedApi } from './api-server.ts';
import type { HandlerDependencies } from './functions.ts';

interface AuditOptions {
  readonly engine: Engine;
  readonly api: Pick<SimulatedApi, 'onCommit'>;
  readonly declarations: readonly Declaration[];
  readonly managementCluster: string;
  startProcess(name: string): { readonly process: SimulatedProcess; readonly around: HandlerDependencies };
}

const providerGroups = ['infrastructure.cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'];
const auditedGroups = ['cluster.x-k8s.io', 'runtime.cluster.x-k8s.io', 'apiextensions.k8s.io', ...providerGroups];
/** The time for which a batch stays open. It is often short, because a batch may be full. */
const openMs = { shortest: 5, longest: 1_000 };
const longestWayMs = 2_000;
/**
 * See https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#batching. In this simulation, retries have no limit.
 */
const retryMs = 10_000;

export class SimulatedAuditWebhook {
  readonly #options: AuditOptions;
  readonly #sources: ReturnType<typeof createAuditSources>;
  #batch: AuditEvent[] = [];
  #underWay = 0;
  #starts = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#sources = createAuditSources(options.declarations, providerGroups);
    options.api.onCommit(commit => this.#see(commit));
  }

  get isIdle(): boolean {
    return this.#batch.length === 0 && this.#underWay === 0;
  }

  #see(commit: Commit): void {
    if (!auditedGroups.includes(groupOf(commit.object.apiVersion))) {
      return;
    }
    const { scheduler, random } = this.#options.engine;
    this.#batch.push(toAuditEvent(commit, `audit-${scheduler.steps}`));
    if (this.#batch.length === 1) {
      scheduler.after(openMs.shortest * (openMs.longest / openMs.shortest) ** random.next(), () => {
        const batch = this.#batch;
        this.#batch = [];
        this.#underWay += 1;
        scheduler.after(random.between(1, longestWayMs), () => this.#deliver(batch));
      });
    }
  }

  #deliver(batch: readonly AuditEvent[]): void {
    const { engine, startProcess, managementCluster } = this.#options;
    this.#starts += 1;
    const { process, around } = startProcess(`audit-webhook.${this.#starts}`);
    let settled = false;
    const settle = (taken: boolean): void => {
      if (settled) {
        return;
      }
      settled = true;
      if (taken) {
        this.#underWay -= 1;
      } else {
        engine.scheduler.after(retryMs, () => this.#deliver(batch));
      }
    };
    process.onEnd(() => settle(false));
    const options = { sources: this.#sources, managementCluster, watchFilter: '' };
    enqueueEvents({ ...around, ...options }, batch).then(
      () => settle(true),
      () => settle(false),
    );
  }
}

function toAuditEvent(commit: Commit, auditID: string): AuditEvent {
  const { apiVersion, kind, metadata } = commit.object;
  const { name, namespace } = metadata;
  return {
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/',
    objectRef: {
      resource: pluralOf(kind),
      name,
      namespace,
      apiGroup: groupOf(apiVersion),
      apiVersion: versionOf(apiVersion),
    },
    responseStatus: { code: 200 },
    ...toAnswer(commit),
  };
}

/**
 * The response to the removal of the last finalizer contains the previous version. The response to a deletion without
 * finalizers contains no object.
 */
function toAnswer({ type, object, previous }: Commit): { readonly verb: string; readonly responseObject: unknown } {
  switch (type) {
    case 'ADDED':
      return { verb: 'create', responseObject: object };
    case 'MODIFIED': {
      const isDeletion = isDeleting(object) && previous !== undefined && !isDeleting(previous);
      return { verb: isDeletion ? 'delete' : 'patch', responseObject: object };
    }
    case 'DELETED':
      return previous !== undefined && isDeleting(previous)
        ? { verb: 'patch', responseObject: withoutFinalizers(previous) }
        : { verb: 'delete', responseObject: { apiVersion: 'v1', kind: 'Status', status: 'Success' } };
  }
}

function isDeleting({ metadata }: Unstructured): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function withoutFinalizers(object: Unstructured): Unstructured {
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
