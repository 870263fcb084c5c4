// Parses query parameters and options, with upstream's errors. Pure.

import { type DeleteOptions, isJsonObject, withoutUndefined } from '@capi-serverless/apimachinery';
import type { PropagationPolicy } from '../core/delete.ts';
import { badRequest, invalidObject, type StatusCause } from '../core/status.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** The field manager. "" if the query contains none. */
  readonly fieldManager: string;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

const maxManagerBytes = 128;
const validations = ['Ignore', 'Warn', 'Strict'] as const;
const policies = ['Background', 'Foreground', 'Orphan'] as const;

function check(kind: OptionsKind, causes: readonly StatusCause[]): void {
  if (causes.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind, plural: '' }, '', causes);
  }
}

function notSupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const values = supported.map(each => `"${each}"`).join(', ');
  const shown = JSON.stringify(value)?.slice(0, 200);
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${shown}: supported values: ${values}`,
  };
}

function problemsOfDryRun(values: readonly unknown[]): readonly StatusCause[] {
  return values.filter(value => value !== 'All').map(value => notSupported('dryRun', value, ['All']));
}

function problemsOfManager(manager: string): readonly StatusCause[] {
  if (new TextEncoder().encode(manager).length > maxManagerBytes) {
    const message = `Too long: may not be more than ${maxManagerBytes} bytes`;
    return [{ reason: 'FieldValueTooLong', field: 'fieldManager', message }];
  }
  return /^\P{C}*$/u.test(manager)
    ? []
    : [
        {
          reason: 'FieldValueInvalid',
          field: 'fieldManager',
          message: 'Invalid value: should only contain printable characters',
        },
      ];
}

/** Parses the query of a create, an update or a patch that is not an apply. Throws Invalid. */
export function parseWrite(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteParameters {
  const why = 'Forbidden: may not be specified for non-apply patch';
  return parseAny(
    query,
    kind,
    kind === 'PatchOptions' && query.has('force')
      ? [{ reason: 'FieldValueForbidden', field: 'force', message: why }]
      : [],
  );
}

interface ApplyParameters extends WriteParameters {
  /** Whether the apply takes ownership of conflicting fields. */
  readonly force: boolean;
}

/** Parses the query of an apply. The query must contain a field manager. Throws Invalid. */
export function parseApply(query: URLSearchParams): ApplyParameters {
  const message = 'Required value: is required for apply patch';
  const isAnonymous = (query.get('fieldManager') ?? '') === '';
  const more: readonly StatusCause[] = isAnonymous
    ? [{ reason: 'FieldValueRequired', field: 'fieldManager', message }]
    : [];
  return { ...parseAny(query, 'PatchOptions', more), force: flagIn(query, 'force') };
}

function parseAny(query: URLSearchParams, kind: OptionsKind, more: readonly StatusCause[]): WriteParameters {
  const dryRun = query.getAll('dryRun').filter(value => value !== '');
  const given = query.get('fieldValidation') ?? '';
  const fieldValidation = validations.find(each => each === given);
  const fieldManager = query.get('fieldManager') ?? '';
  check(kind, [
    ...problemsOfDryRun(dryRun),
    ...(given === '' || fieldValidation !== undefined ? [] : [notSupported('fieldValidation', given, validations)]),
    ...problemsOfManager(fieldManager),
    ...more,
  ]);
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation ?? 'Warn', fieldManager };
}

export interface DeleteParameters {
  readonly dryRun: boolean;
  readonly options: DeleteOptions;
}

/** The query is used only without a body. Throws BadRequest for a malformed body, and Invalid for wrong options. */
export function parseDelete(query: URLSearchParams, body: unknown): DeleteParameters {
  const given = body === undefined ? fromQuery(query) : fromBody(body);
  const { dryRun, policy, orphan, uid, resourceVersion, gracePeriodSeconds } = given;
  const known = policies.find(each => each === policy);
  check('DeleteOptions', [
    ...problemsOfDryRun(dryRun),
    ...(policy === undefined || known !== undefined ? [] : [notSupported('propagationPolicy', policy, policies)]),
    ...(policy !== undefined && orphan !== undefined
      ? [
          {
            reason: 'FieldValueInvalid',
            field: 'propagationPolicy',
            message: 'Invalid value: orphanDependents and deletionPropagation cannot be both set',
          } as const,
        ]
      : []),
  ]);
  const propagationPolicy: PropagationPolicy | undefined = known ?? (orphan === true ? 'Orphan' : undefined);
  return {
    dryRun: dryRun.length > 0,
    options: {
      ...withoutUndefined({ propagationPolicy, uid, resourceVersion, gracePeriodSeconds }),
    },
  };
}

interface Given {
  readonly gracePeriodSeconds?: number;
  readonly dryRun: readonly unknown[];
  readonly policy?: unknown;
  readonly orphan?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

function fromQuery(query: URLSearchParams): Given {
  const policy = query.get('propagationPolicy') ?? undefined;
  const orphan = query.get('orphanDependents');
  const grace = query.get('gracePeriodSeconds') ?? '';
  if (!/^(-?[0-9]{1,15})?$/.test(grace)) {
    throw badRequest('unable to decode the query parameter gracePeriodSeconds: not a number');
  }
  return {
    dryRun: query.getAll('dryRun').filter(value => value !== ''),
    ...(policy === undefined || policy === '' ? {} : { policy }),
    ...(orphan === null ? {} : { orphan: orphan === 'true' || orphan === '1' }),
    ...(grace === '' ? {} : { gracePeriodSeconds: Number(grace) }),
  };
}

function fromBody(body: unknown): Given {
  if (!isJsonObject(body)) {
    throw badRequest('the body of a delete must be DeleteOptions');
  }
  const { kind = 'DeleteOptions', dryRun = [], propagationPolicy, orphanDependents, preconditions } = body;
  const grace = body['gracePeriodSeconds'] ?? undefined;
  if (grace !== undefined && !Number.isSafeInteger(grace)) {
    throw badRequest('gracePeriodSeconds must be an integer');
  }
  if (kind !== 'DeleteOptions' || !Array.isArray(dryRun ?? [])) {
    throw badRequest('the body of a delete must be DeleteOptions');
  }
  const orphan = optional(orphanDependents, 'boolean', 'orphanDependents');
  const conditions = preconditions ?? {};
  if (!isJsonObject(conditions)) {
    throw badRequest('preconditions must be an object');
  }
  const uid = optional(conditions['uid'], 'string', 'preconditions.uid');
  const version = optional(conditions['resourceVersion'], 'string', 'preconditions.resourceVersion');
  return {
    dryRun: Array.isArray(dryRun) ? dryRun : [],
    ...(propagationPolicy === undefined || propagationPolicy === null ? {} : { policy: propagationPolicy }),
    ...(typeof orphan === 'boolean' ? { orphan } : {}),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof version === 'string' ? { resourceVersion: version } : {}),
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
  };
}

function optional(value: unknown, type: 'boolean' | 'string', field: string): unknown {
  if (value !== undefined && value !== null && typeof value !== type) {
    throw badRequest(`${field} must be a ${type}`);
  }
  return value;
}

export interface ListParameters {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  /** Returns true if exactly this version is requested. A limit without resourceVersionMatch also requests it. */
  readonly exact: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
}

/** Parses the query of a list or watch. Throws Invalid, BadRequest, or Timeout for a list of a future version. */
export function parseList(query: URLSearchParams, verb: 'list' | 'watch'): ListParameters {
  const text = (name: string): string => query.get(name) ?? '';
  const match = text('resourceVersionMatch');
  const resourceVersion = text('resourceVersion');
  check('ListOptions', problemsOfList({ query, verb, match, resourceVersion }));
  if (resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(resourceVersion.slice(0, 200))}`);
  }
  if (text('continue') !== '' && resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const timeoutSeconds = integerIn(query, 'timeoutSeconds');
  const limit = integerIn(query, 'limit') ?? 0;
  const isSet = resourceVersion !== '' && resourceVersion !== '0';
  return {
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
    limit,
    continue: text('continue'),
    resourceVersion,
    exact: isSet && (match === 'Exact' || (match === '' && limit > 0)),
    timeoutSeconds: timeoutSeconds === 0 ? undefined : timeoutSeconds,
    bookmarks: flagIn(query, 'allowWatchBookmarks'),
  };
}

function problemsOfList(of: {
  readonly query: URLSearchParams;
  readonly verb: 'list' | 'watch';
  readonly match: string;
  readonly resourceVersion: string;
}): readonly StatusCause[] {
  const { query, verb, match, resourceVersion } = of;
  const forbidden = (field: string, why: string): StatusCause => ({
    reason: 'FieldValueForbidden',
    field,
    message: `Forbidden: ${why}`,
  });
  if (query.has('sendInitialEvents')) {
    const why = `sendInitialEvents is forbidden for ${verb} unless the WatchList feature gate is enabled`;
    return [forbidden('sendInitialEvents', why)];
  }
  if (match === '') {
    return [];
  }
  if (verb === 'watch') {
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch')];
  }
  if ((query.get('continue') ?? '') !== '') {
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided')];
  }
  if (resourceVersion === '') {
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')];
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    return [notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan'])];
  }
  return match === 'Exact' && resourceVersion === '0'
    ? [forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
    : [];
}

/** A negative number is treated as absent. */
function integerIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') {
    return undefined;
  }
  if (!/^-?[0-9]{1,15}$/.test(text)) {
    throw badRequest(`unable to decode the query parameter ${name}: not a number`);
  }
  return Math.max(Number(text), 0);
}

function flagIn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

export function isWatch(query: URLSearchParams): boolean {
  return flagIn(query, 'watch');
}
