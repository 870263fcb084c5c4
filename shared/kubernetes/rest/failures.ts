// Maps answers of the API server, and missing answers, to failures of the port. Pure.
import {
  type ApiFailure,
  type FailureDetails,
  type FailureReason,
  toLimitedText,
  withoutUndefined,
} from '@capi-serverless/apimachinery';

/** The parts of a request that affect its failure. */
export interface RequestSummary {
  /** The verb and the object. */
  readonly label: string;
  readonly isWrite: boolean;
  /** True if messages of the server may quote the content of the object. */
  readonly isSecret: boolean;
}

interface Refusal {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  /** The parsed body, or its text if it is not JSON. */
  readonly body: unknown;
}

/** The reason why there is no usable answer. `sent`: the request may have reached the server. */
export interface ConnectionLoss {
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

/** Reasons that are more specific than their code, or that ERROR events of a watch contain without a code. */
const reasonsByText: Readonly<Record<string, FailureReason>> = {
  AlreadyExists: 'AlreadyExists',
  Expired: 'Gone',
  Gone: 'Gone',
};

/** Codes of gateways and of the server's time limit. The request may have taken effect. */
const undecidedCodes: ReadonlySet<number> = new Set([502, 504]);

/** Reasons whose messages name the object but never its content. */
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

/** The maximum length of a message. An API server quotes refused values, which tenants may have written. */
const longestMessage = 10_240;

/** Converts an answer with an error status. */
export function toFailure(refusal: Refusal, summary: RequestSummary): ApiFailure {
  const status = toStatus(refusal.body);
  const reason = toReason(refusal.status, status.reason, summary);
  const retryAfterMs = toRetryAfterMs(refusal.retryAfter) ?? toMs(status.retryAfterSeconds);
  const isQuiet = summary.isSecret && !plainReasons.has(reason);
  const causes = isQuiet ? status.causes.map(cause => cause.field ?? 'a field') : status.causes.map(toCauseText);
  const message = isQuiet || status.message === undefined ? toOwnMessage(refusal, summary) : status.message;
  return {
    reason,
    code: refusal.status,
    message: toLimitedText(message, longestMessage),
    ...(reason === 'NotFound' && status.name === undefined ? { notServed: true } : {}),
    ...withoutUndefined({ retryAfterMs }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(status.kind === undefined || isQuiet ? {} : { details: toDetails(status.kind, status) }),
  };
}

/** Converts the Status in an ERROR event of a watch. */
export function toStreamFailure(body: unknown, summary: RequestSummary): ApiFailure {
  const { code, reason } = toStatus(body);
  const known = reason === undefined ? undefined : reasonsByText[reason];
  return toFailure({ status: code ?? (known === 'Gone' ? 410 : 500), body }, summary);
}

/** Converts a missing or incomplete answer. */
export function toLostFailure(lost: ConnectionLoss, summary: RequestSummary): ApiFailure {
  const message = `${summary.label}: ${lost.message}`;
  return { reason: toLostReason(lost, summary), message, ...(lost.why === 'too large' ? { tooLarge: true } : {}) };
}

function toLostReason(lost: ConnectionLoss, summary: RequestSummary): FailureReason {
  if (summary.isWrite && lost.sent) {
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

function toReason(code: number, text: string | undefined, summary: RequestSummary): FailureReason {
  if (summary.isWrite && undecidedCodes.has(code)) {
    return 'UnknownOutcome';
  }
  const known = text === undefined ? undefined : reasonsByText[text];
  return known ?? reasonsByCode[code] ?? (code >= 400 && code < 500 ? 'BadRequest' : 'InternalError');
}

interface Status {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** The kind or resource of the object in question. */
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

/** The API server of upstream's in-memory backend answers with the error of its library, which contains the Status. */
function toStatus(body: unknown): Status {
  const error = toFields(body)['ErrStatus'];
  const status = toFields(error ?? body);
  const details = toFields(status['details']);
  const causes = Array.isArray(details['causes']) ? details['causes'] : [];
  return {
    code: toNumber(status['code']),
    reason: toText(status['reason']),
    message: error !== undefined || status['kind'] === 'Status' ? toText(status['message']) : undefined,
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

function toOwnMessage({ status, body }: Refusal, summary: RequestSummary): string {
  const text = typeof body === 'string' && !summary.isSecret ? body.trim().slice(0, 200) : '';
  return `${summary.label}: the server answered ${status}${text === '' ? '' : ` ${text}`}`;
}

/** The header contains whole seconds. Kubernetes does not use the date form. */
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
