// A plan as data and as text for people. Pure: what a Secret keeps is in neither.
import { stringify } from 'yaml';
import { backoffMs } from '../../../shared/kernel/backoff.ts';
import { isJsonObject } from '../../../shared/kernel/merge-diff.ts';
import type { EventDraft, Result } from '../../../shared/kernel/types.ts';
import { mostLateMs } from '../../../shared/workqueue/timer-grid.ts';
import { toPlainText } from '../view/text.ts';
import { toWhy, type Wait } from '../view/waiting.ts';
import { type ImaginedWrite, plannedPrefix } from './imagined-kubernetes.ts';
import { type Plan, type PlannedAction, type PlannedPass, toSubject } from './plan.ts';
import { redact } from './redact.ts';
import { type Difference, differencesOf } from './status-diff.ts';

export interface ActionLine {
  readonly id: string;
  readonly do: 'create' | 'apply' | 'patch' | 'delete' | 'run';
  /** `Kind namespace/name`; for a `run` what its author calls it. */
  readonly object: string;
  readonly why: string;
  readonly body?: unknown;
  /** The write is refused unless the object is at this version. */
  readonly resourceVersion?: string;
}

export interface PassReport {
  readonly pass: number;
  readonly actions: readonly ActionLine[];
  readonly status: readonly Difference[];
  readonly events: readonly EventDraft[];
  readonly result: Result['kind'];
}

export interface PlanReport {
  readonly reconciler: string;
  readonly object: string;
  /** Where the objects were read. */
  readonly source: string;
  readonly at: string;
  readonly passes: readonly PassReport[];
  /** Requests that would change something, Events included. */
  readonly writes: number;
  readonly result: Result['kind'];
  /** When the object is looked at again, and what for. */
  readonly next: string;
  readonly waitsFor?: string;
  readonly error?: string;
  readonly wouldAsk: readonly string[];
  readonly notes: readonly string[];
}

export interface ReportOptions {
  readonly source: string;
  readonly notes: readonly string[];
}

export function toPlanReport(plan: Plan, { source, notes }: ReportOptions): PlanReport {
  const { declaration, ref, result, wait } = plan;
  const passes = plan.passes.map(toPassReport);
  return {
    reconciler: declaration.name,
    object: toSubject(ref),
    source,
    at: toTime(plan.now),
    passes,
    writes: plan.passes.reduce((sum, pass) => sum + writesOf(pass), 0),
    result: result.kind,
    next: toNext(plan),
    ...(wait === undefined ? {} : { waitsFor: toWaitText(wait) }),
    ...(result.kind === 'failed' ? { error: result.error.message } : {}),
    wouldAsk: plan.questions,
    notes: [...(plan.stop === undefined ? [] : [`nothing to reconcile: ${plan.stop}`]), ...notes],
  };
}

/** Events included. */
function writesOf({ actions, status, events }: PlannedPass): number {
  return actions.filter(({ write }) => write !== undefined).length + (status === undefined ? 0 : 1) + events.length;
}

function toPassReport({ number, actions, status, events, result }: PlannedPass): PassReport {
  return {
    pass: number,
    actions: actions.map(toActionLine),
    status: status === undefined ? [] : differencesOf(status.before?.status, status.after?.status, 'status'),
    events,
    result: result.kind,
  };
}

function toActionLine({ action, why, write }: PlannedAction): ActionLine {
  const common = { id: action.id, do: action.do, why };
  if (action.do === 'run') {
    return { ...common, object: action.label };
  }
  const lock =
    action.do === 'patch' && action.resourceVersion !== undefined ? { resourceVersion: action.resourceVersion } : {};
  const ref = 'ref' in action ? action.ref : toActionRef(action);
  return { ...common, object: toSubject(ref), ...toBody(write), ...lock };
}

function toActionRef({ object }: Extract<PlannedAction['action'], { do: 'create' | 'apply' }>) {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function toBody(write: ImaginedWrite | undefined): { readonly body?: unknown } {
  return write?.body === undefined ? {} : { body: redact(write.ref.kind, write.body) };
}

function toNext({ result }: Plan): string {
  switch (result.kind) {
    case 'done':
      return 'with the next event or resync';
    case 'again':
      return 'at once, in another invocation';
    case 'requeueAfter':
      return `in ${toSeconds(result.ms)} to ${toSeconds(result.ms + mostLateMs(result.ms))}`;
    case 'failed':
      return result.terminal
        ? 'with the next event or resync: no retry would mend this'
        : `in ${toSeconds(backoffMs(0))}, then with back-off`;
  }
}

function toWaitText({ until, condition }: Wait): string {
  return condition === undefined ? until : `${until}: ${toWhy(condition)}`;
}

function toSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

function toTime(instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z');
}

/** The report in lines, ending in a line break. Control characters of objects do not reach the terminal. */
export function toPlanText(report: PlanReport): string {
  const { reconciler, object, source, passes, writes } = report;
  const sections = [
    [`Plan of reconciler ${reconciler} for ${object}, read from ${source}; nothing was written`],
    ...passes.filter(hasContent).map(pass => toPassLines(pass, passes.length)),
    [
      toSum(writes, passes.length),
      ...report.notes.map(note => `Note: ${note}`),
      ...report.wouldAsk.map(question => `Would ask ${question}`),
      ...(report.error === undefined ? [] : [`It would fail: ${report.error}`]),
      ...(report.waitsFor === undefined ? [] : [`The object would wait for ${report.waitsFor}`]),
      `Next look: ${report.next}`,
    ],
  ];
  return `${sections.map(lines => lines.map(toSafeLine).join('\n')).join('\n\n')}\n`;
}

function toSum(writes: number, passes: number): string {
  if (writes === 0) {
    return 'It would write nothing.';
  }
  return `It would make ${writes} ${writes === 1 ? 'write' : 'writes'} in ${passes} ${passes === 1 ? 'pass' : 'passes'}.`;
}

/** Indentation and line breaks of ours stay. */
function toSafeLine(line: string): string {
  return line
    .split('\n')
    .map(part => `${/^ */.exec(part)?.[0] ?? ''}${toPlainText(part)}`)
    .join('\n');
}

function hasContent({ actions, status, events }: PassReport): boolean {
  return actions.length + status.length + events.length > 0;
}

function toPassLines({ pass, actions, status, events, result }: PassReport, count: number): readonly string[] {
  return [
    `Pass ${pass}${pass < count || result === 'again' ? ', after which it looks again at once' : ''}`,
    ...actions.flatMap((action, index) => toActionLines(action, index + 1)),
    ...(status.length === 0 ? [] : ['  status of the object would change:', ...toDifferenceLines(status)]),
    ...events.map(({ type, reason, message }) => `  event ${type} ${reason}: ${message}`),
  ];
}

function toActionLines(action: ActionLine, number: number): readonly string[] {
  const { body, resourceVersion } = action;
  return [
    `  ${number}. ${action.do} ${action.object} (${action.id})`,
    `     because ${action.why}`,
    ...(resourceVersion === undefined ? [] : [`     only if it is still ${toState(resourceVersion)}`]),
    ...(body === undefined ? [] : [indent(stringify(body).trimEnd(), '       ')]),
  ];
}

function toState(resourceVersion: string): string {
  return resourceVersion.startsWith(plannedPrefix) ? 'as the write before left it' : `at version ${resourceVersion}`;
}

/** The time of a transition changes with its status: one line tells both. */
function toDifferenceLines(differences: readonly Difference[]): readonly string[] {
  return differences
    .filter(({ path }) => !path.endsWith('.lastTransitionTime'))
    .flatMap(({ path, before, after }) => [
      `    ${path}`,
      ...(before === undefined ? [] : [`      - ${toValueText(before)}`]),
      ...(after === undefined ? [] : [`      + ${toValueText(after)}`]),
    ]);
}

/** A condition reads as `True (Ready): message`. */
function toValueText(value: unknown): string {
  if (isJsonObject(value) && typeof value['type'] === 'string' && typeof value['status'] === 'string') {
    const { status, reason, message } = value;
    const told = typeof message === 'string' && message !== '' ? `: ${toWhy({ message, reason: '' })}` : '';
    return `${status}${reason === undefined ? '' : ` (${String(reason)})`}${told}`;
  }
  return JSON.stringify(value);
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map(line => `${by}${line}`)
    .join('\n');
}

/** True when the reconcile would end without an error. */
export function wouldSucceed({ result }: Pick<PlanReport, 'result'>): boolean {
  return result !== 'failed';
}
