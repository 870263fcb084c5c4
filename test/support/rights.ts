// Compares the permissions of roles with the requests in an audit log. Both should be the same. Pure.
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole

/** The parts of a role or a binding that determine permissions. */
export interface RbacManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly Subject[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** One verb on one resource that one role grants to one subject. */
interface Grant {
  readonly role: string;
  readonly subject: Subject;
  readonly verb: string;
  readonly group: string;
  /** `*` means every kind of the group, if only its provider defines the names. `clusters/status` is a subresource. */
  readonly resource: string;
  /** `undefined` means every object. */
  readonly name: string | undefined;
  /** `undefined` means every namespace. */
  readonly namespace: string | undefined;
}

/** One answered request of a user whose permissions are checked. */
export interface AuditedRequest {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  /** `undefined` for a non-resource request to `path`. */
  readonly resource: string | undefined;
  readonly path: string;
  readonly group: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly code: number;
}

interface Comparison {
  /** Permissions that no request uses. */
  readonly unused: readonly Grant[];
  /** Requests that no role permits. */
  readonly ungranted: readonly AuditedRequest[];
  /** Permissions that another permission of the same subject includes. */
  readonly implied: readonly Grant[];
  /** Requests that were answered with 403. */
  readonly refused: readonly AuditedRequest[];
}

/** Returns every permission that these bindings grant. Roles without a subject grant nothing, see `unboundRoles`. */
export function toGrants(manifests: readonly RbacManifest[]): readonly Grant[] {
  return bindingsOf(manifests).flatMap(({ metadata, roleRef, subjects = [] }) => {
    const role = manifests.find(({ rules, metadata: { name } }) => rules !== undefined && name === roleRef?.name);
    if (role === undefined) {
      throw new Error(`Binding ${metadata.name} names role ${roleRef?.name}, which is not there`);
    }
    return subjects.flatMap(subject =>
      toRights(role).map(right => ({ ...right, role: role.metadata.name, subject, namespace: metadata.namespace })),
    );
  });
}

/** Returns roles without a subject. */
export function unboundRoles(manifests: readonly RbacManifest[]): readonly string[] {
  const bound = new Set(bindingsOf(manifests).map(({ roleRef }) => roleRef?.name));
  return manifests
    .filter(({ rules }) => rules !== undefined)
    .flatMap(({ metadata: { name } }) => (bound.has(name) ? [] : [name]));
}

function bindingsOf(manifests: readonly RbacManifest[]): readonly RbacManifest[] {
  return manifests.filter(({ roleRef }) => roleRef !== undefined);
}

function toRights({ rules = [] }: RbacManifest): readonly Pick<Grant, 'verb' | 'group' | 'resource' | 'name'>[] {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap(group =>
      resources.flatMap(resource =>
        verbs.flatMap(verb => (resourceNames ?? [undefined]).map(name => ({ verb, group, resource, name }))),
      ),
    ),
  );
}

/**
 * Returns the requests of these users in an audit log (one event per line, level Metadata or more). A watch is logged
 * when it begins and when it ends. Both are included, because both use the permission. An apply that created its object
 * (201) needs the permissions to patch and to create, and is logged as a patch.
 */
export function parseAuditLog(text: string, isOurs: (user: string) => boolean): readonly AuditedRequest[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as AuditLine) // true: this is the form of audit.k8s.io/v1
    .filter(({ user }) => isOurs(user.username))
    .map(({ user, verb, requestURI, objectRef, responseStatus }) => ({
      user: user.username,
      groups: user.groups ?? [],
      verb,
      path: requestURI,
      resource: objectRef && [objectRef.resource, objectRef.subresource].filter(Boolean).join('/'),
      group: objectRef?.apiGroup ?? '',
      name: objectRef?.name,
      namespace: objectRef?.namespace,
      code: responseStatus?.code ?? 0,
    }))
    .flatMap(request =>
      request.verb === 'patch' && request.code === 201 ? [request, { ...request, verb: 'create' }] : [request],
    );
}

interface AuditLine {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/**
 * A permission for `*` is one permission per group and verb. A request for any kind of the group uses it, because the
 * provider names the kinds. It includes objects only. A requested subresource is reported as not granted, although RBAC
 * permits it.
 */
export function compareRights(grants: readonly Grant[], requests: readonly AuditedRequest[]): Comparison {
  return {
    unused: grants.filter(grant => !requests.some(request => covers(grant, request))),
    ungranted: requests.filter(request => !grants.some(grant => covers(grant, request))),
    implied: grants.filter(grant => grants.some(other => other !== grant && implies(other, grant))),
    refused: requests.filter(({ code }) => code === 403),
  };
}

function implies(wide: Grant, narrow: Grant): boolean {
  return (
    JSON.stringify(wide.subject) === JSON.stringify(narrow.subject) &&
    wide.verb === narrow.verb &&
    wide.group === narrow.group &&
    isWithin(wide, narrow.resource) &&
    (wide.name === undefined || wide.name === narrow.name) &&
    (wide.namespace === undefined || wide.namespace === narrow.namespace)
  );
}

function isWithin(grant: Grant, resource: string): boolean {
  return grant.resource === resource || (grant.resource === '*' && !resource.includes('/'));
}

function covers(grant: Grant, request: AuditedRequest): boolean {
  const { resource = '/' } = request;
  return (
    isFor(grant.subject, request) &&
    grant.verb === request.verb &&
    grant.group === request.group &&
    isWithin(grant, resource) &&
    (grant.name === undefined || grant.name === request.name) &&
    (grant.namespace === undefined || grant.namespace === request.namespace)
  );
}

function isFor({ kind, name, namespace }: Subject, { user, groups }: AuditedRequest): boolean {
  return kind === 'ServiceAccount' ? user === `system:serviceaccount:${namespace}:${name}` : groups.includes(name);
}

/** Returns the differences and the refused requests as text. Empty if there are none. */
export function toReport({ unused, ungranted, implied, refused }: Comparison): string {
  return [
    toTable(
      'Granted, but nothing used it: take the right away, or add a scenario that needs it',
      unused.map(toGrantLine),
    ),
    toTable('Used, but no role grants it: add it to the rules', ungranted.map(toRequestLine)),
    toTable('Granted, though another right of the same subject covers it: take it away', implied.map(toGrantLine)),
    toTable('Refused with 403', refused.map(toRequestLine)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

type Line = readonly [who: string, right: string];

function toTable(title: string, lines: readonly Line[]): string {
  const counted = Map.groupBy(lines, ([who, right]) => `${who}\n${right}`);
  const width = Math.max(0, ...lines.map(([who]) => who.length));
  const rows = [...counted.values()].flatMap(([line, ...same]) =>
    line === undefined
      ? []
      : [`  ${line[0].padEnd(width)}  ${line[1]}${same.length === 0 ? '' : ` (${same.length + 1} times)`}`],
  );
  return rows.length === 0 ? '' : [`${title}:`, ...rows.toSorted()].join('\n');
}

function toGrantLine({ role, ...right }: Grant): Line {
  return [role, toText(right)];
}

function toRequestLine({ user, resource, path, ...request }: AuditedRequest): Line {
  const { verb } = request;
  return [user, resource === undefined ? `${verb} ${path}` : toText({ ...request, resource })];
}

function toText({
  verb,
  group,
  resource,
  name,
  namespace,
}: Pick<Grant, 'verb' | 'group' | 'resource' | 'name' | 'namespace'>): string {
  const [plural, subresource] = resource.split('/');
  const kind = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${kind}${name === undefined ? '' : ` "${name}"`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
