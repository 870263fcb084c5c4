// A plan as data and as text. Pure. Neither form contains the values of a Secret.

import { isJsonObject, type ObjectRef, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import type { EventDraft, Result } from '@capi-serverless/reconciler';
import { stringify } from 'yaml';
import { toPlainText } from '../../local/view/text.ts';
import { toWhy, type Wait } from '../../shared/explain/conditions.ts';
import type { PlannedWrite, Preview } from '../../shared/explain/face.ts';
import { backoffMs } from '../../shared/kernel/backoff.ts';
import { mostLateMs } from '../../shared/workqueue/timer-grid.ts';
import { changesOf } from './changes.ts';
import { plannedPrefix } from './overlay-kubernetes.ts';
import {
  type AimedAtWorkload,
  isAimedAtWorkload,
  type PlannedAction,
  type PlannedPass,
  type PlannedReconcile,
  toSubject,
} from './plan.ts';
import { redact } from './redact.ts';
import { differencesOf, type StatusDifference } from './status-diff.ts';

interface ActionLine {
  readonly id: string;
  readonly do: 'create' | 'apply' | 'patch' | 'delete' | 'evict' | 'manifest' | 'run';
  /** The name in the form `Kind namespace/name`. For a `run`, the name that its author gave. */
  readonly object: string;
  readonly why: string;
  /** The Cluster whose workload cluster receives the write, in the form `namespace/name`. */
  readonly workloadOf?: string;
  readonly body?: unknown;
  /** Whether the apply creates the object. */
  readonly isNew?: true;
  /** The changes to the existing object, or the differences from the replaced object. */
  readonly changes?: readonly StatusDifference[];
  /** The name of the replaced object. */
  readonly replaces?: string;
  /** The precondition: the write is refused unless the object has this version. */
  readonly resourceVersion?: string;
}

interface PassReport {
  readonly pass: number;
  readonly actions: readonly ActionLine[];
  /** Further conclusions of the pass. */
  readonly conclusions: readonly string[];
  readonly status: readonly StatusDifference[];
  readonly events: readonly EventDraft[];
  readonly result: Result['kind'];
}

export interface PlanReport {
  readonly reconciler: string;
  readonly object: string;
  /** The source of the objects. */
  readonly source: string;
  readonly at: string;
  readonly passes: readonly PassReport[];
  /** The number of requests that would write, including Events. */
  readonly writes: number;
  readonly result: Result['kind'];
  /** The time until the next reconcile of the object, and the reason. */
  readonly next: string;
  readonly waitsFor?: string;
  /** What a later change by a user would do. */
  readonly preview?: Preview;
  readonly error?: string;
  readonly wouldAsk: readonly string[];
  readonly notes: readonly string[];
}

interface ReportOptions {
  readonly source: string;
  readonly notes: readonly string[];
}

export function toPlanReport(plan: PlannedReconcile, { source, notes }: ReportOptions): PlanReport {
  const { declaration, ref, result, wait, preview } = plan;
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
    ...withoutUndefined({ preview }),
    ...(result.kind === 'failed' ? { error: result.error.message } : {}),
    wouldAsk: plan.questions,
    notes: [...(plan.stop === undefined ? [] : [`nothing to reconcile: ${plan.stop}`]), ...notes, ...plan.notes],
  };
}

/** Includes Events. */
function writesOf({ actions, status, events }: PlannedPass): number {
  const sent = actions.filter(({ action, write }) => write !== undefined || isAimedAtWorkload(action));
  return sent.length + (status === undefined ? 0 : 1) + events.length;
}

function toPassReport({
  number,
  actions,
  conclusions: printedMessage,
  status,
  events,
  result,
}: PlannedPass): PassReport {
  return {
    pass: number,
    actions: actions.map(toActionLine),
    conclusions: printedMessage,
    status: status === undefined ? [] : differencesOf(status.before?.status, status.after?.status, 'status'),
    events,
    result: result.kind,
  };
}

function toActionLine({ action, why, write, replaces }: PlannedAction): ActionLine {
  const common = { id: action.id, do: action.do, why };
  if (action.do === 'run') {
    return { ...common, object: action.label };
  }
  if (isAimedAtWorkload(action)) {
    const { namespace, name } = action.target;
    const body = action.do === 'patch' && typeof action.body !== 'function' ? { body: action.body } : {};
    const isNew = action.do === 'manifest' && action.change === undefined ? { isNew: true as const } : {};
    return {
      ...common,
      object: toSubject(toWorkloadRef(action)),
      workloadOf: `${namespace}/${name}`,
      ...body,
      ...isNew,
    };
  }
  // If an earlier write of the same pass sets the version, the version is not known yet.
  const lock =
    action.do === 'patch' && typeof action.resourceVersion === 'string'
      ? { resourceVersion: action.resourceVersion }
      : {};
  const ref = 'ref' in action ? action.ref : toActionRef(action);
  return { ...common, object: toSubject(ref), ...toBody(write), ...toChanges(write, replaces), ...lock };
}

/** The object in the workload cluster. Its content is not printed, because a Secret may describe it. */
function toWorkloadRef(action: AimedAtWorkload): ObjectRef {
  switch (action.do) {
    case 'evict':
      return action.pod;
    case 'manifest':
      return action.place;
    default:
      return action.ref;
  }
}

function toActionRef({ object }: Extract<PlannedAction['action'], { do: 'create' | 'apply' }>) {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...withoutUndefined({ namespace }) };
}

function toBody(write: PlannedWrite | undefined): { readonly body?: unknown } {
  return write?.body === undefined ? {} : { body: redact(write.ref.kind, write.body) };
}

/** For applies. They contain all desired fields, and most of these are already set. */
function toChanges(
  write: PlannedWrite | undefined,
  replaces: Unstructured | undefined,
): Pick<ActionLine, 'isNew' | 'changes' | 'replaces'> {
  if (write?.verb !== 'apply') {
    return {};
  }
  const made = write.before === undefined ? { isNew: true as const } : {};
  const before = write.before ?? replaces;
  if (before === undefined) {
    return made;
  }
  const name = write.before === undefined ? { replaces: before.metadata.name } : {};
  return { ...made, ...name, changes: changesOf(before, write.after, write.ref.kind) };
}

function toNext({ result }: PlannedReconcile): string {
  switch (result.kind) {
    case 'done':
      return 'with the next event or resync';
    case 'again':
      return 'at once, in another invocation';
    case 'requeueAfter':
      return `in ${toSeconds(result.ms)} to ${toSeconds(result.ms + mostLateMs(result.ms))}`;
    case 'failed':
      return result.terminal
        ? 'with the next event or resync: no retry would fix this'
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

/** Returns the report as lines with a line break at the end. Control characters of objects are removed. */
export function toPlanText(report: PlanReport): string {
  const { reconciler, object, source, passes, writes } = report;
  const sections = [
    [`Plan of reconciler ${reconciler} for ${object}, read from ${source}; nothing was written`],
    ...passes.filter(hasContent).map(pass => toPassLines(pass, passes.length)),
    [
      toSum(writes, passes.length),
      ...toObjectsLine(passes),
      ...report.notes.map(note => `Note: ${note}`),
      ...report.wouldAsk.map(question => `Would call ${question}`),
      ...(report.error === undefined ? [] : [`It would fail: ${report.error}`]),
      ...(report.waitsFor === undefined ? [] : [`The object would wait for ${report.waitsFor}`]),
      `Next reconcile: ${report.next}`,
    ],
    ...(report.preview === undefined ? [] : [[report.preview.title, ...report.preview.lines]]),
  ];
  return `${sections.map(lines => lines.map(toSafeLine).join('\n')).join('\n\n')}\n`;
}

function toSum(writes: number, passes: number): string {
  if (writes === 0) {
    return 'It would write nothing.';
  }
  return `It would make ${writes} ${writes === 1 ? 'write' : 'writes'} in ${passes} ${passes === 1 ? 'pass' : 'passes'}.`;
}

/** Returns each object once, by its outcome. Returns nothing for a single object. */
function toObjectsLine(passes: readonly PassReport[]): readonly string[] {
  const actions = passes.flatMap(pass => pass.actions).filter(action => action.do !== 'run');
  const named = (isMeant: (action: ActionLine) => boolean) =>
    new Set(actions.filter(isMeant).map(({ object }) => object));
  const made = named(action => action.do === 'create' || action.isNew === true);
  const gone = named(action => action.do === 'delete' || action.do === 'evict');
  const changed = [...named(() => true)].filter(object => !made.has(object) && !gone.has(object));
  const counts = [
    ...(made.size === 0 ? [] : [`${made.size} new`]),
    ...(changed.length === 0 ? [] : [`${changed.length} changed`]),
    ...(gone.size === 0 ? [] : [`${gone.size} deleted`]),
  ];
  return made.size + gone.size + changed.length < 2 ? [] : [`Objects: ${counts.join(', ')}.`];
}

/** Keeps the indentation and line breaks of the report. */
function toSafeLine(line: string): string {
  return line
    .split('\n')
    .map(part => `${/^ */.exec(part)?.[0] ?? ''}${toPlainText(part)}`)
    .join('\n');
}

function hasContent({ actions, conclusions: printedMessage, status, events }: PassReport): boolean {
  return actions.length + printedMessage.length + status.length + events.length > 0;
}

function toPassLines(
  { pass, actions, conclusions: printedMessage, status, events, result }: PassReport,
  count: number,
): readonly string[] {
  return [
    `Pass ${pass}${pass < count || result === 'again' ? ', followed by another pass at once' : ''}`,
    ...printedMessage.map(line => `  ${line}`),
    ...actions.flatMap((action, index) => toActionLines(action, index + 1)),
    ...(status.length === 0 ? [] : ['  status of the object would change:', ...toDifferenceLines(status)]),
    ...events.map(({ type, reason, message }) => `  event ${type} ${reason}: ${message}`),
  ];
}

function toPlace({ workloadOf }: ActionLine): string {
  return workloadOf === undefined ? '' : ` in the workload cluster of ${workloadOf}`;
}

function toActionLines(action: ActionLine, number: number): readonly string[] {
  const { body, changes, replaces, resourceVersion } = action;
  const id = action.id === `${action.do} ${action.object.replace(/ .*\//, ' ')}` ? '' : ` (${action.id})`;
  return [
    `  ${number}. ${action.do} ${action.object}${action.isNew ? ', which is new' : ''}${toPlace(action)}${id}`,
    `     because ${action.why}`,
    ...(resourceVersion === undefined ? [] : [`     only if it is still ${toState(resourceVersion)}`]),
    ...(replaces === undefined ? [] : [`     it differs from ${replaces} in`]),
    ...(changes === undefined ? toBodyLines(body) : toDifferenceLines(changes, '       ')),
  ];
}

function toBodyLines(body: unknown): readonly string[] {
  return body === undefined ? [] : [indent(stringify(body, { compat: 'yaml-1.1' }).trimEnd(), '       ')];
}

function toState(resourceVersion: string): string {
  return resourceVersion.startsWith(plannedPrefix) ? 'as the write before left it' : `at version ${resourceVersion}`;
}

/** The transition time changes with its status: one line prints both. */
function toDifferenceLines(differences: readonly StatusDifference[], by = '    '): readonly string[] {
  return differences
    .filter(({ path }) => !path.endsWith('.lastTransitionTime'))
    .flatMap(({ path, before, after }) => [
      `${by}${path}`,
      ...(before === undefined ? [] : [`${by}  - ${toValueText(before)}`]),
      ...(after === undefined ? [] : [`${by}  + ${toValueText(after)}`]),
    ]);
}

/** A condition is printed as `True (Ready): message`. */
function toValueText(value: unknown): string {
  if (isJsonObject(value) && typeof value['type'] === 'string' && typeof value['status'] === 'string') {
    const { status, reason, message } = value;
    const printedMessage = typeof message === 'string' && message !== '' ? `: ${toWhy({ message, reason: '' })}` : '';
    return `${status}${reason === undefined ? '' : ` (${String(reason)})`}${printedMessage}`;
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
