// The effects of one invocation as text. Pure: the input is facts, the output is lines.
import { toDisplayName, withoutUndefined } from '@capi-serverless/apimachinery';
import type { ReconcileFact, RequestFact } from '../../shared/diagnostics/channels.ts';
import type { Request } from '../../shared/workqueue/message.ts';
import type { QueueName } from '../../shared/workqueue/port.ts';

export interface ReconcileReport {
  readonly reconciler: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly server: string;
  /** The result in the spelling of controller-runtime. 'none': the invocation ended before the reconcile. */
  readonly result: ReconcileFact['result'] | 'none';
  /** False if the message would become visible again. */
  readonly acknowledged: boolean;
  readonly passes: number;
  readonly writes: number;
  readonly seconds: number;
  /** The requests in the order in which they were sent. */
  readonly requests: readonly RequestLine[];
  readonly events: readonly EventLine[];
  /** The reason why nothing was done. */
  readonly notes: readonly string[];
  readonly errors: readonly ErrorLine[];
  readonly followUps: readonly FollowUpLine[];
}

interface RequestLine {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
  readonly isWrite: boolean;
  /** The status code. 0 without a response. */
  readonly code: number;
  readonly milliseconds: number;
}

export interface EventLine {
  readonly name: string;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the requests that created an Event. The same Event of an earlier reconcile is refused with a conflict. */
export function createdEvents(facts: readonly RequestFact[]): readonly RequestFact[] {
  return facts.filter(({ verb, resource, code }) => verb === 'create' && resource === 'events' && code === 201);
}

interface ErrorLine {
  readonly message: string;
  readonly error: string;
  /** The stack of unexpected errors. */
  readonly stack?: string;
}

export interface FollowUpLine {
  readonly queue: QueueName;
  readonly cause: Request['cause'];
  readonly attempt: number;
  /** An RFC 3339 time. Absent if the reconcile follows immediately. */
  readonly due?: string;
  readonly inSeconds?: number;
}

const reads = new Set(['get', 'list', 'watch']);

export function toRequestLine(fact: RequestFact): RequestLine {
  const { verb, resource, group, namespace, name, dryRun, code, startedAt, endedAt } = fact;
  return {
    verb,
    resource,
    group,
    ...withoutUndefined({ namespace, name }),
    dryRun,
    isWrite: !reads.has(verb) && !dryRun,
    code,
    milliseconds: Math.round((endedAt - startedAt) * 10) / 10,
  };
}

/** Returns `undefined` for lines without an error. */
export function toErrorLine(line: Readonly<Record<string, unknown>>): ErrorLine | undefined {
  if (line['level'] !== 'error') {
    return undefined;
  }
  // The log line of a reconcile has a `stack` only for a defect. Other failures are not defects of the code.
  const stack = line['reconcileID'] === undefined ? line['errorStack'] : line['stack'];
  return {
    message: String(line['message']),
    error: String(line['error']),
    ...(stack === undefined ? {} : { stack: String(stack) }),
  };
}

/** The debug message of a reconcile. */
export function toNote(line: Readonly<Record<string, unknown>>): string | undefined {
  if (line['level'] !== 'debug' || line['reconcileID'] === undefined) {
    return undefined;
  }
  const { message, reason } = line;
  return reason === undefined ? String(message) : `${String(message)}: ${String(reason)}`;
}

export function toFollowUpLine(queue: QueueName, request: Request, now: number): FollowUpLine {
  const { cause, attempt, due } = request;
  const timer = due === undefined ? {} : { due: new Date(due).toISOString(), inSeconds: (due - now) / 1000 };
  return { queue, cause, attempt, ...timer };
}

/** Returns true if the reconcile ended without an error and its message can be deleted. */
export function hasSucceeded({ result, acknowledged }: Pick<ReconcileReport, 'result' | 'acknowledged'>): boolean {
  return acknowledged && result !== 'error' && result !== 'terminal_error' && result !== 'none';
}

export function toReportText(report: ReconcileReport): string {
  const { reconciler, object, server, passes, writes, seconds, notes } = report;
  const facts = [
    ['result', toResultText(report)],
    ...notes.map(note => ['', note]),
    ['passes', String(passes)],
    ['writes', String(writes)],
    ['seconds', seconds.toFixed(2)],
  ];
  const sections = [
    [`Reconciler ${reconciler} ran for ${object.kind} ${toDisplayName(object)} on ${server}`],
    toColumns(facts),
    section('API requests (* writes)', toColumns(report.requests.map(toRequestCells))),
    section('Events created', report.events.map(toEventText)),
    section('Errors', report.errors.flatMap(toErrorTexts)),
    section('Messages sent for later', report.followUps.map(toFollowUpText)),
  ];
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function toResultText({ result, acknowledged }: ReconcileReport): string {
  if (result === 'none') {
    return 'none: the invocation ended before the reconcile did';
  }
  return acknowledged ? result : `${result}, but the message would be delivered again`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`${title}: none`] : [title, ...lines.map(line => `  ${line}`)];
}

function toRequestCells(line: RequestLine, index: number): readonly string[] {
  // A list contains no object name.
  const { verb, resource, namespace, name = '*', dryRun, isWrite, code, milliseconds } = line;
  return [
    String(index + 1).padStart(2),
    isWrite ? '*' : '',
    dryRun ? `${verb} (dry run)` : verb,
    resource,
    namespace === undefined ? name : `${namespace}/${name}`,
    code === 0 ? 'no answer' : String(code),
    `${milliseconds.toFixed(1)} ms`,
  ];
}

function toEventText({ type, reason, message, name }: EventLine): string {
  return type === undefined ? name : `${type} ${reason}: ${message}`;
}

function toErrorTexts({ message, error, stack }: ErrorLine): readonly string[] {
  const [first = '', ...rest] = (stack ?? error).split('\n');
  return [`${message}: ${first}`, ...rest];
}

function toFollowUpText({ queue, cause, attempt, due, inSeconds }: FollowUpLine): string {
  const when = due === undefined || inSeconds === undefined ? 'at once' : `${toWords(inSeconds)}, at ${due}`;
  return `${queue}: enqueues the object ${when} (${attempt === 0 ? cause : `${cause}, try ${attempt + 1}`})`;
}

/** Formats a duration with its two largest units, for example "in 3 min 20 s". */
function toWords(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole <= 0) {
    return 'now';
  }
  const units = [
    { unit: 'd', size: 86_400 },
    { unit: 'h', size: 3600 },
    { unit: 'min', size: 60 },
    { unit: 's', size: 1 },
  ];
  const first = units.findIndex(({ size }) => whole >= size);
  const parts = units.slice(first, first + 2).map(({ unit, size }, index) => {
    const rest = index === 0 ? whole : whole % (units[first]?.size ?? 1);
    return { unit, count: Math.floor(rest / size) };
  });
  return `in ${parts
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(' ')}`;
}

/** Left-aligned. The width is that of the widest cell. */
function toColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
