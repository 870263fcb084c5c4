// Validation of Events. `v1` accepts nearly every Event. `events.k8s.io/v1` requires complete new Events, and later
// allows changes of the series and the metadata only. Drafts have the `v1` form, and most errors contain the `v1` field
// names.

import { memberOf, sameJson } from '@capi-serverless/apimachinery';
import { problemOfQualifiedName } from './name-rules.ts';
import type { ObjectDraft, Stored } from './object.ts';
import type { StatusCause } from './status.ts';

/** The maximum number of bytes. */
const maxMessage = 1024;
const maxText = 128;

function invalidCause(field: string, value: unknown, problem: string): StatusCause {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${problem}` };
}

function required(field: string): StatusCause {
  return { reason: 'FieldValueRequired', field, message: 'Required value' };
}

function textOf(draft: ObjectDraft, member: string): string {
  const value = draft[member];
  return typeof value === 'string' ? value : '';
}

/** The rules of both versions. `reporter` is the field name of the reporting component in the request. */
export function problemsOfEvent(draft: ObjectDraft, reporter = 'reportingComponent'): readonly StatusCause[] {
  const involved = memberOf(draft['involvedObject'], 'namespace') ?? '';
  const own = draft.metadata.namespace ?? '';
  const misplaced = invalidCause('involvedObject.namespace', involved, 'does not match event.namespace');
  if (textOf(draft, 'eventTime') === '') {
    return involved === own || (involved === '' && own === 'default') ? [] : [misplaced];
  }
  return [
    ...(involved === '' && own !== 'default' && own !== 'kube-system' ? [misplaced] : []),
    ...problemsOfReporter(textOf(draft, 'reportingComponent'), reporter),
    ...['reportingInstance', 'action', 'reason'].flatMap(member => problemsOfText(textOf(draft, member), member)),
    ...(byteLength(textOf(draft, 'message')) > maxMessage ? [tooLong('message', maxMessage)] : []),
  ];
}

function problemsOfReporter(reporter: string, field: string): readonly StatusCause[] {
  const problem = problemOfQualifiedName(reporter);
  return [
    ...(reporter === '' ? [required(field)] : []),
    ...(problem === undefined ? [] : [invalidCause(field, reporter, problem)]),
  ];
}

function problemsOfText(value: string, field: string): readonly StatusCause[] {
  if (value === '') {
    return [required(field)];
  }
  return byteLength(value) > maxText ? [tooLong(field, maxText)] : [];
}

function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

function tooLong(field: string, most: number): StatusCause {
  return invalidCause(field, '', `can have at most ${most} characters`);
}

const reporterOfGroup = 'reportingController';

/** The rules of `events.k8s.io/v1`. */
export function problemsOfGroupEvent(draft: ObjectDraft, live: Stored | undefined): readonly StatusCause[] {
  return [
    ...problemsOfEvent(draft, reporterOfGroup),
    ...(live === undefined || !sameJson(draft['series'], live['series']) ? problemsOfSeries(draft['series']) : []),
    ...(live === undefined ? problemsOfNew(draft) : problemsOfChange(draft, live)),
  ];
}

function problemsOfSeries(series: unknown): readonly StatusCause[] {
  if (series === undefined) {
    return [];
  }
  const count = memberOf(series, 'count') ?? 0;
  return [
    ...(typeof count === 'number' && count < 2 ? [invalidCause('series.count', count, 'should be at least 2')] : []),
    ...((memberOf(series, 'lastObservedTime') ?? null) === null ? [required('series.lastObservedTime')] : []),
  ];
}

function problemsOfNew(draft: ObjectDraft): readonly StatusCause[] {
  const type = textOf(draft, 'type');
  const unset = { firstTimestamp: null, lastTimestamp: null, count: undefined, source: {} };
  return [
    ...(textOf(draft, 'eventTime') === '' ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidCause('type', '', `has invalid value: ${type}`)]),
    ...Object.entries(unset)
      .filter(([member, value]) => !sameJson(draft[member], value))
      .map(([member]) => invalidCause(member, '', 'needs to be unset')),
  ];
}

const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

function problemsOfChange(draft: ObjectDraft, live: Stored): readonly StatusCause[] {
  return fixed
    .filter(member => !sameJson(draft[member], live[member]))
    .map(member =>
      invalidCause(
        member === 'reportingComponent' ? reporterOfGroup : member,
        draft[member] ?? null,
        'field is immutable',
      ),
    );
}
