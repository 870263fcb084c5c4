// Invariant I9, the part of MachineHealthChecks: a Machine is marked only for a cause that has lasted, only while the check
// allows it for the number of Machines that are not healthy, never without an answer of the workload cluster, and never if
// it skips remediation. A remediation that has begun belongs to the owner.

import { toRecord, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition, isFalse } from '@capi-serverless/cluster-api/conditions';
import type { Engine } from '../engine/process.ts';
import type { WorkloadRequest } from '../ports/workload-api.ts';
import type { Commit } from '../system/api-server.ts';
import type { InvocationEvent } from '../system/event-source-mapping.ts';
import type { System } from '../system/system.ts';
import type { Oracle } from './monitor.ts';

const checkKind = 'MachineHealthCheck';
const clusterLabel = 'cluster.x-k8s.io/cluster-name';
const annotations = {
  remediate: 'cluster.x-k8s.io/remediate-machine',
  skip: 'cluster.x-k8s.io/skip-remediation',
} as const;
const marks = { unhealthy: 'HealthCheckSucceeded', remediated: 'OwnerRemediated' } as const;
/** Times of conditions are rounded to seconds. */
const roundingMs = 1000;

/** What was true of a Machine in at least one moment of an invocation. */
interface Facts {
  healthy: boolean;
  notHealthy: boolean;
  /** A cause has lasted for its timeout. */
  hasCause: boolean;
  samples: number;
}

/** The facts by `check/machine`, from the beginning of an invocation until now. */
interface Window {
  readonly beganAt: number;
  readonly facts: Map<string, Facts>;
  readonly samples: Map<string, number>;
}

type Watched = Pick<System, 'api' | 'workloads'> & {
  readonly scheduler: Engine['scheduler'];
  readonly largestSkewMs: number;
  readonly report: (text: string) => void;
};

export class HealthChecks implements Oracle {
  readonly #watched: Watched;
  /** The API servers of workload clusters that were asked, by the uid of the Cluster. Reading them lets no kubelet act. */
  readonly #cores = new Map<string, WorkloadRequest['core']>();
  /** The invocations in progress, by process. */
  readonly #windows = new Map<string, Window>();

  /** Registers itself for requests to workload clusters. */
  constructor(watched: Watched) {
    this.#watched = watched;
    watched.workloads.onServed(({ process, cluster, core }) => {
      this.#cores.set(cluster, core);
      this.#sample(process.name);
    });
  }

  invocation({ type, process: { name } }: InvocationEvent): void {
    if (!name.startsWith('machinehealthcheck.')) {
      return;
    }
    if (type === 'ends') {
      this.#windows.delete(name);
    } else {
      this.#windows.set(name, { beganAt: this.#watched.scheduler.now, facts: new Map(), samples: new Map() });
      this.#sample(name);
    }
  }

  served({ process }: { readonly process: { readonly name: string } }): void {
    this.#sample(process.name);
  }

  committed({ object, previous, writer }: Commit): void {
    const window = this.#windows.get(writer);
    if (window === undefined || object.kind !== 'Machine' || previous === undefined) {
      return;
    }
    this.#sample(writer);
    const { name } = object.metadata;
    const say = (what: string): void => this.#watched.report(`I9: ${writer} ${what} Machine ${name}`);
    if (annotations.skip in (previous.metadata.annotations ?? {})) {
      say('changes the conditions of a skipped');
    }
    if (isBeingRemediated(previous) && !isSame(previous, object)) {
      say('takes over the remediation of');
    }
    const isNews = becomesFalse(marks.unhealthy, previous, object) || becomesFalse(marks.remediated, previous, object);
    if (isNews) {
      this.#checkMark(window, object, say);
    }
    if (becomesFalse(marks.remediated, previous, object) && !this.#checksOf(object).some(of => isAllowed(of, window))) {
      say('marks, against the limit of its check,');
    }
  }

  #checkMark(window: Window, machine: Unstructured, say: (what: string) => void): void {
    const checks = this.#checksOf(machine);
    if (!checks.some(check => window.facts.get(keyOf(check, machine))?.hasCause === true)) {
      say('marks without a cause that has lasted');
    }
    const core = this.#cores.get(this.#clusterOf(machine)?.metadata.uid ?? '');
    const lostAt = core === undefined ? undefined : this.#watched.workloads.lostAt(core);
    if (lostAt !== undefined && lostAt < window.beganAt) {
      say('marks, without an answer of its workload cluster,');
    }
  }

  #sample(process: string): void {
    const window = this.#windows.get(process);
    if (window === undefined) {
      return;
    }
    for (const check of this.#objects(checkKind)) {
      const { uid } = check.metadata;
      window.samples.set(uid, (window.samples.get(uid) ?? 0) + 1);
      for (const machine of this.#objects('Machine').filter(each => selects(check, each))) {
        const key = keyOf(check, machine);
        const facts = window.facts.get(key) ?? { healthy: false, notHealthy: false, hasCause: false, samples: 0 };
        window.facts.set(key, facts);
        const findings = this.#findingsOf(check, machine);
        const isHealthy = findings !== 'unknown' && findings.length === 0;
        facts.healthy ||= isHealthy;
        facts.notHealthy ||= !isHealthy;
        facts.hasCause ||= findings !== 'unknown' && findings.some(sinceMs => this.#hasPassed(sinceMs));
        facts.samples += 1;
      }
    }
  }

  #hasPassed(time: number): boolean {
    const { scheduler, largestSkewMs } = this.#watched;
    return time < scheduler.now + largestSkewMs + roundingMs;
  }

  /** The times at which the causes of this moment have lasted. `unknown`: the Machine is neither healthy nor unhealthy. */
  #findingsOf(check: Unstructured, machine: Unstructured): readonly number[] | 'unknown' {
    if (annotations.remediate in (machine.metadata.annotations ?? {})) {
      return [0];
    }
    const nodeName = valueAt(machine.status, 'nodeRef.name');
    const ofMachine = dueOf(valueAt(check.spec, 'checks.unhealthyMachineConditions'), machine, 'ConnectionDown');
    if (nodeName === undefined) {
      const due = this.#startupDue(check, machine);
      const all = [...ofMachine, ...(due === undefined ? [] : [due])];
      return all.length === 0 ? 'unknown' : all;
    }
    const nodes = this.#nodesOf(machine);
    if (nodes === undefined) {
      return 'unknown';
    }
    const node = nodes.find(({ metadata }) => metadata.name === nodeName);
    const ofNode = node === undefined ? [0] : dueOf(valueAt(check.spec, 'checks.unhealthyNodeConditions'), node);
    const all = [...ofMachine, ...ofNode];
    return all.length === 0 && machine.metadata.deletionTimestamp !== undefined ? 'unknown' : all;
  }

  #startupDue(check: Unstructured, machine: Unstructured): number | undefined {
    const seconds = Number(valueAt(check.spec, 'checks.nodeStartupTimeoutSeconds') ?? 600);
    const provisioned = getCondition(conditionsOf(machine), 'InfrastructureReady');
    const since = Math.max(
      instantOf(machine.metadata.creationTimestamp) ?? 0,
      provisioned?.status === 'True' ? (instantOf(provisioned.lastTransitionTime) ?? 0) : 0,
    );
    return seconds === 0 ? undefined : since + seconds * 1000;
  }

  /** Returns undefined before the first request to the workload cluster. */
  #nodesOf(machine: Unstructured): readonly Unstructured[] | undefined {
    const core = this.#cores.get(this.#clusterOf(machine)?.metadata.uid ?? '');
    return core?.list(core.registry.endpointOfKind('v1', 'Node'), {}).items;
  }

  #clusterOf({ metadata, spec }: Unstructured): Unstructured | undefined {
    const name = valueAt(spec, 'clusterName');
    return this.#objects('Cluster').find(
      cluster => cluster.metadata.namespace === metadata.namespace && cluster.metadata.name === name,
    );
  }

  #checksOf(machine: Unstructured): readonly Unstructured[] {
    return this.#objects(checkKind).filter(check => selects(check, machine));
  }

  #objects(kind: string): readonly Unstructured[] {
    return [...this.#watched.api.objects().values()].filter(object => object.kind === kind);
  }
}

function keyOf(check: Unstructured, machine: Unstructured): string {
  return `${check.metadata.uid}/${machine.metadata.uid}`;
}

/** Workloads select Machines by labels only. */
function selects({ metadata, spec }: Unstructured, machine: Unstructured): boolean {
  const { labels = {}, namespace } = machine.metadata;
  const wanted = { ...toRecord(valueAt(spec, 'selector.matchLabels')), [clusterLabel]: valueAt(spec, 'clusterName') };
  return (
    namespace === metadata.namespace &&
    !(annotations.skip in (machine.metadata.annotations ?? {})) &&
    Object.entries(wanted).every(([key, value]) => labels[key] === value)
  );
}

function conditionsOf({ status }: Unstructured): readonly Condition[] {
  const stored = valueAt(status, 'conditions');
  return Array.isArray(stored) ? (stored as readonly Condition[]) : []; // true: the schemas of Machines and Nodes require it
}

/** The times at which the listed conditions have lasted for their timeouts. Those with the reason `except` never do. */
function dueOf(entries: unknown, object: Unstructured, except = ''): readonly number[] {
  return (Array.isArray(entries) ? entries.map(toRecord) : []).flatMap(({ type, status, timeoutSeconds }) => {
    const condition = getCondition(conditionsOf(object), String(type));
    if (condition?.status !== status) {
      return [];
    }
    const since = instantOf(condition?.lastTransitionTime) ?? Number.POSITIVE_INFINITY;
    return [condition?.reason === except ? Number.POSITIVE_INFINITY : since + Number(timeoutSeconds) * 1000];
  });
}

function becomesFalse(type: string, previous: Unstructured, object: Unstructured): boolean {
  return isFalse(conditionsOf(object), type) && !isFalse(conditionsOf(previous), type);
}

/** A condition that is not True belongs to the owner. */
function isBeingRemediated(machine: Unstructured): boolean {
  return (getCondition(conditionsOf(machine), marks.remediated)?.status ?? 'True') !== 'True';
}

function isSame(previous: Unstructured, object: Unstructured): boolean {
  const [before, after] = [previous, object].map(of => getCondition(conditionsOf(of), marks.remediated));
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Whether the check allows a number of Machines that the invocation may have counted. */
function isAllowed(check: Unstructured, { facts, samples }: Window): boolean {
  const { uid } = check.metadata;
  const own = [...facts].flatMap(([key, each]) => (key.startsWith(`${uid}/`) ? [each] : []));
  const fewest = own.filter(each => !each.healthy && each.samples === samples.get(uid)).length;
  const most = own.filter(each => each.notHealthy).length;
  const { lowest, highest } = limitsOf(check, own.length);
  return most >= lowest && fewest <= highest;
}

function limitsOf({ spec }: Unstructured, machines: number) {
  const trigger = toRecord(valueAt(spec, 'remediation.triggerIf'));
  const [, lowest, highest] = /^\[(\d+)-(\d+)\]$/.exec(String(trigger['unhealthyInRange'] ?? '')) ?? [];
  if (lowest !== undefined && highest !== undefined) {
    return { lowest: Number(lowest), highest: Number(highest) };
  }
  const limit = trigger['unhealthyLessThanOrEqualTo'] ?? '100%';
  const highestOf = typeof limit === 'string' ? Math.floor((Number.parseFloat(limit) * machines) / 100) : Number(limit);
  return { lowest: 0, highest: highestOf };
}
