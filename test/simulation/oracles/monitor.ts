// Monitors one run: counts changes, and reports violations of invariants immediately.
import type { Answer } from '@capi-serverless/apimachinery';
import type { MetricLabels } from '../../../shared/kernel/metrics.ts';
import { delayQueue } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import type { ServedRequest } from '../ports/kubernetes.ts';
import type { Commit } from '../system/api-server.ts';
import type { InvocationEvent } from '../system/event-source-mapping.ts';
import type { LogLine } from '../system/log.ts';
import type { Sent } from '../system/simulated-queues.ts';
import type { System } from '../system/system.ts';
import { DeletedMachines } from './deleted-machines.ts';
import { watchDrains } from './drains.ts';
import { watchEvents } from './events.ts';
import { watchExclusivity } from './exclusivity.ts';
import { watchFinalizers } from './finalizers.ts';
import { watchFollowUps } from './follow-ups.ts';
import { HealthChecks } from './health-checks.ts';
import { watchMachineFinalizers } from './machine-finalizers.ts';
import { watchOpenCalls } from './open-calls.ts';
import { watchPauses } from './pauses.ts';
import { watchRechecks } from './recheck.ts';
import { type References, watchReferences } from './references.ts';
import { watchReleasedNodes } from './released-nodes.ts';
import { isResyncState } from './resync-state.ts';
import { isOwnTemplate, watchRoles } from './roles.ts';
import { watchRollouts } from './rollouts.ts';
import { watchSecrecy } from './secrecy.ts';
import { watchTimers } from './timers.ts';

function timersOf({ queues }: System): readonly string[] {
  return queues.memory.messages(delayQueue).map(({ body }) => body);
}

const writeVerbs = new Set<string>(['create', 'patch', 'jsonPatch', 'apply', 'delete', 'evict']);

/** The maximum number of reported violations. */
const mostViolations = 10;

/** One oracle, with the facts that it checks. */
export interface Oracle {
  committed?(commit: Commit): void;
  served?(request: ServedRequest): void;
  answered?(request: ServedRequest, answer: Answer<unknown>): void;
  logged?(line: LogLine): void;
  sent?(sent: Sent): void;
  invocation?(event: InvocationEvent): void;
  counted?(name: string, labels: MetricLabels): void;
  /** Called once when the run is quiescent, unless a valid message became a dead letter. */
  rested?(): void;
}

export class Monitor {
  readonly violations: string[] = [];
  /** The numbers of `create Kind ns/name` and `delete Kind ns/name`, without Events and templates of topologies. */
  readonly changes = new Map<string, number>();
  /** The writes of the functions since `forgetWrites`, accepted or not. */
  readonly writes: string[] = [];
  readonly references: References = watchReferences();
  readonly #engine: Engine;
  #oracles: readonly Oracle[] = [];
  #lastCommitAt = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get lastCommitAt(): number {
    return this.#lastCommitAt;
  }

  watch(system: System): void {
    const report = (text: string): void => this.violation(text);
    this.#oracles = [
      watchFinalizers(system.api, report),
      watchMachineFinalizers(system.api, report),
      new DeletedMachines({ ...system, scheduler: this.#engine.scheduler, report }),
      watchPauses(system.api, report),
      watchSecrecy(report),
      watchEvents(report),
      watchTimers(this.#engine, { declarations: system.declarations, waiting: () => timersOf(system) }, report),
      watchExclusivity(system.queues, report),
      watchFollowUps(this.#engine, report),
      watchRechecks(report),
      watchOpenCalls(report),
      watchRoles(system.api, report),
      watchRollouts(system.api, this.#engine.scheduler, report),
      new HealthChecks({ ...system, ...this.#engine, report }),
      this.references,
    ];
    watchDrains(system.workloads, report);
    watchReleasedNodes(system, report);
    system.workloads.onServed(({ verb, kind, namespace, name }) => {
      if (writeVerbs.has(verb)) {
        this.writes.push(`${verb} ${kind} ${namespace}/${name} in a workload cluster`);
      }
    });
    system.api.onCommit(commit => this.#committed(commit));
    system.queues.onSent(sent => {
      for (const oracle of this.#oracles) {
        oracle.sent?.(sent);
      }
    });
  }

  violation(text: string): void {
    const { trace, scheduler } = this.#engine;
    trace.note(scheduler.now, () => `VIOLATION ${text}`);
    if (this.violations.length < mostViolations) {
      this.violations.push(text);
    }
  }

  forgetWrites(): void {
    this.writes.length = 0;
  }

  readonly served = (request: ServedRequest): void => {
    const { verb, of, subresource = '' } = request;
    if (writeVerbs.has(verb)) {
      this.writes.push(`${verb} ${of.kind} ${of.namespace ?? ''}/${'name' in of ? of.name : ''} ${subresource}`);
    }
    for (const oracle of this.#oracles) {
      oracle.served?.(request);
    }
  };

  readonly answered = (request: ServedRequest, answer: Answer<unknown>): void => {
    for (const oracle of this.#oracles) {
      oracle.answered?.(request, answer);
    }
  };

  readonly invocation = (event: InvocationEvent): void => {
    for (const oracle of this.#oracles) {
      oracle.invocation?.(event);
    }
  };

  readonly logged = (line: LogLine): void => {
    const { trace, scheduler } = this.#engine;
    if (line.level !== 'debug') {
      trace.note(scheduler.now, () => `${line.process} log ${line.message} ${JSON.stringify(line.fields)}`);
    }
    if (typeof line.fields['stack'] === 'string') {
      this.violation(`${line.process} met a defect: ${line.fields['stack']}`);
    }
    for (const oracle of this.#oracles) {
      oracle.logged?.(line);
    }
  };

  readonly counted = (name: string, labels: MetricLabels): void => {
    for (const oracle of this.#oracles) {
      oracle.counted?.(name, labels);
    }
  };

  rested(): void {
    for (const oracle of this.#oracles) {
      oracle.rested?.();
    }
  }

  #committed(commit: Commit): void {
    const { trace, scheduler } = this.#engine;
    const { type, object, writer } = commit;
    const name = `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    trace.note(scheduler.now, () => `${writer} commits ${type} ${name} @${object.metadata.resourceVersion}`);
    this.#lastCommitAt = scheduler.now;
    if (type !== 'MODIFIED' && object.kind !== 'Event' && !isOwnTemplate(object) && !isResyncState(object)) {
      const change = `${type === 'ADDED' ? 'create' : 'delete'} ${name}`;
      this.changes.set(change, (this.changes.get(change) ?? 0) + 1);
    }
    for (const oracle of this.#oracles) {
      oracle.committed?.(commit);
    }
  }
}
