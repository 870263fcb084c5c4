// The one place where answers of the API server, and missing answers, become failures. Pure.
import type { ApiFailure, FailureDetails, FailureReason } from '../../api/answer.ts';

/** What was asked, as far as a failure depends on it. */
export interface Asked {
  /** Names verb and object. */
  readonly label: string;
  readonly isWrite: boolean;
  /** Messages about it may quote its content. */
  readonly isSecret: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  /** The parsed body, or its text when it is not JSON. */
  readonly body: unknown;
}

/** Why no usable answer came. `sent`: the request may have reached the server. */
export interface Lost {
  readonly why: 'aborted' | 'timeout' | 'connection' | 'truncated' | 'too large';
  readonly sent: boolean;
  readonly message: string;
}

const reasonsByCode: Readonly<Record<number, FailureReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'BadRequest',
  406: 'UnsupportedMediaType',
  409: 'Conflict',
  410: 'Gone',
  413: 'BadRequest',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
};

/** Reasons that say more than their code, or come without one in the ERROR event of a watch. */
const reasonsByText: Readonly<Record<string, FailureReason>> = {
  AlreadyExists: 'AlreadyExists',
  Expired: 'Gone',
  Gone: 'Gone',
};

/** Codes of gateways and of the server's own time limit: what was asked may have been done. */
const undecidedCodes: ReadonlySet<number> = new Set([502, 504]);

/** Reasons whose messages name the object and never its content. */
const plainReasons: ReadonlySet<FailureReason> = new Set([
  'NotFound',
  'Conflict',
  'AlreadyExists',
  'Unauthorized',
  'Forbidden',
  'Gone',
  'TooManyRequests',
  'Unavailable',
]);

/** An answer with an error code. */
export function toFailure(refusal: Refusal, asked: Asked): ApiFailure {
  const status = toStatus(refusal.body);
  const reason = toReason(refusal.status, status.reason, asked);
  const retryAfterMs = toRetryAfterMs(refusal.retryAfter) ?? toMs(status.retryAfterSeconds);
  const isQuiet = asked.isSecret && !plainReasons.has(reason);
  const causes = isQuiet ? status.causes.map(cause => cause.field ?? 'a field') : status.causes.map(toCauseText);
  const message = isQuiet || status.message === undefined ? toOwnMessage(refusal, asked) : status.message;
  return {
    reason,
    code: refusal.status,
    message,
    ...(reason === 'NotFound' && status.name === undefined ? { notServed: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(status.kind === undefined || isQuiet ? {} : { details: toDetails(status.kind, status) }),
  };
}

/** The Status object of a watch's ERROR event. */
export function toStreamFailure(body: unknown, asked: Asked): ApiFailure {
  const { code, reason } = toStatus(body);
  const known = reason === undefined ? undefined : reasonsByText[reason];
  return toFailure({ status: code ?? (known === 'Gone' ? 410 : 500), body }, asked);
}

/** No answer, or not all of it. */
export function toLostFailure(lost: Lost, asked: Asked): ApiFailure {
  return { reason: toLostReason(lost, asked), message: `${asked.label}: ${lost.message}` };
}

function toLostReason(lost: Lost, asked: Asked): FailureReason {
  if (asked.isWrite && lost.sent) {
    return 'UnknownOutcome';
  }
  switch (lost.why) {
    case 'aborted':
      return 'Aborted';
    case 'too large':
      return 'InternalError';
    case 'timeout':
    case 'connection':
    case 'truncated':
      return 'Unavailable';
    default:
      return lost.why satisfies never;
  }
}

function toReason(code: number, text: string | undefined, asked: Asked): FailureReason {
  if (asked.isWrite && undecidedCodes.has(code)) {
    return 'UnknownOutcome';
  }
  const known = text === undefined ? undefined : reasonsByText[text];
  return known ?? reasonsByCode[code] ?? (code >= 400 && code < 500 ? 'BadRequest' : 'InternalError');
}

interface Status {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Of the object that it is about: its kind or resource. */
  readonly kind: string | undefined;
  readonly group: string | undefined;
  readonly name: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: readonly Cause[];
}

interface Cause {
  readonly type: string | undefined;
  readonly field: string | undefined;
  readonly message: string | undefined;
}

function toStatus(body: unknown): Status {
  const status = toFields(body);
  const details = toFields(status['details']);
  const causes = Array.isArray(details['causes']) ? details['causes'] : [];
  return {
    code: toNumber(status['code']),
    reason: toText(status['reason']),
    message: status['kind'] === 'Status' ? toText(status['message']) : undefined,
    kind: toText(details['kind']),
    group: toText(details['group']),
    name: toText(details['name']),
    retryAfterSeconds: toNumber(details['retryAfterSeconds']),
    causes: causes
      .map(toFields)
      .map(cause => ({
        type: toText(cause['reason']),
        field: toText(cause['field']),
        message: toText(cause['message']),
      }))
      .filter(cause => cause.field !== undefined || cause.message !== undefined),
  };
}

function toDetails(kind: string, { group = '', causes }: Status): FailureDetails {
  return {
    kind,
    group,
    causes: causes.map(({ type = '', field = '', message = '' }) => ({ type, field, message })),
  };
}

function toCauseText({ field, message }: Cause): string {
  return [field, message].filter(part => part !== undefined).join(': ');
}

function toOwnMessage({ status, body }: Refusal, asked: Asked): string {
  const text = typeof body === 'string' && !asked.isSecret ? body.trim().slice(0, 200) : '';
  return `${asked.label}: the server answered ${status}${text === '' ? '' : ` ${text}`}`;
}

/** Whole seconds; the date form of the header is not used by Kubernetes. */
function toRetryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
