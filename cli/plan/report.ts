// A plan as data and as text. Pure. Neither form contains the values of a Secret.

import { isJsonObject, type ObjectRef, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { stringify } from 'yaml';
import { toPlainText } from '../../local/view/text.ts';
import { toWhy, type Wait } from '../../shared/explain/conditions.ts';
import type { PlannedWrite } from '../../shared/explain/face.ts';
import { backoffMs } from '../../shared/kernel/backoff.ts';
import { mostLateMs } from '../../shared/workqueue/timer-grid.ts';
import { changesOf } from './changes.ts';
import { type GivenChange, givenPrefix } from './given-files.ts';
import { replacementBy, replacementIn } from './machine-replacement.ts';
import { countWords, objectChanges } from './object-changes.ts';
import { plannedPrefix } from './overlay-kubernetes.ts';
import {
  type AimedAtWorkload,
  isAimedAtWorkload,
  type PlannedAction,
  type PlannedPass,
  type PlannedReconcile,
  toSubject,
} from './plan.ts';
import type { ActionLine, PassReport, PlanReport, Replacement } from './plan-report.ts';
import { redact } from './redact.ts';
import { differencesOf, type StatusDifference } from './status-diff.ts';

interface ReportOptions {
  readonly source: string;
  readonly notes: readonly string[];
  readonly files?: readonly GivenChange[] | undefined;
}

export function toPlanReport(plan: PlannedReconcile, { source, notes, files }: ReportOptions): PlanReport {
  const { declaration, ref, result, wait, preview } = plan;
  const passes = plan.passes.map(toPassReport);
  return {
    reconciler: declaration.name,
    object: toSubject(ref),
    source,
    at: toTime(plan.now),
    ...withoutUndefined({ files }),
    passes,
    replacements: toReplacements(plan),
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

/** Each object once, with the first reason. */
function toReplacements({ passes, preview, ref }: PlannedReconcile): readonly Replacement[] {
  const written = passes.flatMap(({ actions, laterReplaced }) => [
    ...actions.flatMap(({ write }) => (write === undefined ? [] : toReplacement(write.ref, replacementBy(write)))),
    ...laterReplaced.flatMap(({ ref: later, why }) => toReplacement(later, why)),
  ]);
  const all = [...written, ...toReplacement(ref, preview && replacementIn(preview))];
  return [...new Map(all.toReversed().map(each => [each.object, each])).values()].toReversed();
}

function toReplacement(ref: ObjectRef, why: string | undefined): readonly Replacement[] {
  return why === undefined ? [] : [{ object: toSubject(ref), why }];
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
  const { reconciler, object, source, files, passes, writes } = report;
  const sections = [
    [
      `Plan of reconciler ${reconciler} for ${object}, read from ${source}; nothing was written`,
      ...(files === undefined ? [] : [toFilesLine(files)]),
    ],
    ...passes.filter(hasContent).map(pass => toPassLines(pass, passes.length)),
    [
      toSum(writes, passes.length),
      ...toObjectsLine(report),
      ...toReplacementLines(report),
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

/** Returns nothing for a single object. */
function toObjectsLine(report: PlanReport): readonly string[] {
  const counts = countWords(objectChanges(report));
  const parts = [
    ...(counts.create === 0 ? [] : [`${counts.create} new`]),
    ...(counts.change === 0 ? [] : [`${counts.change} changed`]),
    ...(counts.delete === 0 ? [] : [`${counts.delete} deleted`]),
  ];
  return counts.create + counts.change + counts.delete < 2 ? [] : [`Objects: ${parts.join(', ')}.`];
}

/** The preview of the object itself already says so. */
function toReplacementLines({ replacements, object }: PlanReport): readonly string[] {
  return replacements
    .filter(each => each.object !== object)
    .map(each => `Replaces Machines of ${each.object}: ${each.why}`);
}

function toFilesLine(files: readonly GivenChange[]): string {
  return `Files: ${files.map(({ object, outcome }) => `${object} ${outcome}`).join(', ')}`;
}

/** Keeps the indentation and line breaks of the report. */
export function toSafeLine(line: string): string {
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

export function toBodyLines(body: unknown, by = '       '): readonly string[] {
  return body === undefined ? [] : [indent(stringify(body, { compat: 'yaml-1.1' }).trimEnd(), by)];
}

function toState(resourceVersion: string): string {
  if (resourceVersion.startsWith(givenPrefix)) {
    return 'as the apply of the files leaves it';
  }
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
export function toValueText(value: unknown): string {
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
