// Checks the fields of an object that must not change while a Cluster uses it. Errors have the wording of Kubernetes
// field errors.
import {
  type FieldError,
  forbidden,
  groupOf,
  type Intent,
  printFieldErrors,
  quote,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { groupKindOf } from '../change-texts.ts';

/** `strict`: objects with a permanent reference. `sameKind`: templates of Machines. `sameNamespace`: templates of bootstrap. */
export type Compatibility = 'strict' | 'sameKind' | 'sameNamespace';

type Check = (current: Unstructured, desired: Intent) => FieldError | undefined;

const inCluster = 'to prevent incompatible changes in the Cluster';

const sameName: Check = (current, desired) =>
  check('metadata.name', 'metadata.name', current, [current.metadata.name, desired.metadata.name], inCluster);

const sameGroup: Check = (current, desired) => {
  const groups = [groupOf(current.apiVersion), groupOf(desired.apiVersion)] as const;
  return check('metadata.apiVersion', 'apiVersion.group', current, groups, inCluster);
};

const sameKind: Check = (current, desired) =>
  check('metadata.kind', 'apiVersion.kind', current, [current.kind, desired.kind], inCluster);

const sameNamespace: Check = (current, desired) => {
  const namespaces = [current.metadata.namespace ?? '', desired.metadata.namespace ?? ''] as const;
  const why = 'because templates must be in the same namespace as the Cluster';
  return check('metadata.namespace', 'metadata.namespace', current, namespaces, why);
};

const checks: Readonly<Record<Compatibility, readonly Check[]>> = {
  strict: [sameName, sameGroup, sameKind, sameNamespace],
  sameKind: [sameGroup, sameKind, sameNamespace],
  sameNamespace: [sameNamespace],
};

/** Returns undefined if the change is allowed. */
export function incompatibility(of: Compatibility, current: Unstructured, desired: Intent): string | undefined {
  const errors = checks[of].map(each => each(current, desired)).filter(error => error !== undefined);
  return errors.length === 0 ? undefined : printFieldErrors(errors);
}

export function isSameKind(current: Unstructured, desired: Intent): boolean {
  return sameGroup(current, desired) === undefined && sameKind(current, desired) === undefined;
}

function check(
  path: string,
  field: string,
  current: Unstructured,
  [from, to]: readonly [string, string],
  why: string,
): FieldError | undefined {
  const what = `${field} of ${groupKindOf(current)}/${current.metadata.name}`;
  return from === to
    ? undefined
    : forbidden(path, `${what} cannot be changed from ${quote(from)} to ${quote(to)} ${why}`);
}
