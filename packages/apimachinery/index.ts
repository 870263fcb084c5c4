// Kubernetes API objects, JSON values, names, field errors, API server responses, and the port of a client. Pure.

// Objects, references and queries.

export {
  type GroupKind,
  groupOf,
  type Instant,
  type Intent,
  type JsonPatchOperation,
  type Kind,
  type ListQuery,
  type MergePatch,
  type Name,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  type Parser,
  type PartialObject,
  toApiVersion,
  toDisplayName,
  toRef,
  type Unstructured,
  versionOf,
} from './object.ts';

// Names of kinds and resources, API versions, labels and annotations.

export { compareApiVersions } from './names/api-version-order.ts';
export { dns1035LabelProblems, dns1123LabelProblems } from './names/dns-label.ts';
export {
  annotationBytes,
  mostAnnotationBytes,
  problemsOfLabelKey,
  problemsOfLabelValue,
  problemsOfSubdomain,
} from './names/label-rules.ts';
export {
  dns1035LabelPattern,
  dnsLabelPattern,
  dnsSubdomainPattern,
  qualifiedNamePattern,
} from './names/name-patterns.ts';
export { crdNameOf, isKind, pluralKind, pluralOf } from './names/plural.ts';

// JSON values and merge patches.

export {
  groupBy,
  isJsonObject,
  type JsonObject,
  memberOf,
  sameJson,
  setMember,
  toRecord,
  unlessEmpty,
  withoutNulls,
  withoutUndefined,
} from './json.ts';
export { mergeDeep, mergeDiff, nest, valueAt } from './merge-diff.ts';
export { toLimitedText } from './text-limit.ts';
export { compareText } from './text-order.ts';

// Label and field selectors.

export { matchesFields } from './field-selector.ts';
export {
  isEmptySelector,
  type LabelSelector,
  type Labels,
  matchesLabels,
  selectorProblem,
  toPrintedSelector,
  toSelectorText,
} from './label-selector.ts';

// Expected failures as values: of a request, of a computation.

export { type Answer, type ApiFailure, answered, type FailureDetails, type FailureReason, refused } from './answer.ts';
export { all, allInOrder, andThen, type Checked, invalid, mapChecked, prefixed, valid } from './checked.ts';

// Errors of fields and of several objects, in the wording of Kubernetes.

export { toAggregateText } from './aggregate-text.ts';
export {
  type FieldError,
  type FieldErrorType,
  forbidden,
  internalError,
  invalidValue,
  printDouble,
  printFieldError,
  printFieldErrors,
  printInvalidObject,
  printProblem,
  quote,
  requiredValue,
  sortMembers,
  toSortedJson,
  unsupportedValue,
} from './field-error.ts';
export { toSchemaProblem } from './schema-problem.ts';

// Ports: a client of an API server, and a clock.

export type {
  ApplyOptions,
  DeleteOptions,
  DryRun,
  DryRunPort,
  Evictions,
  EvictOptions,
  Kubernetes,
  ListedPage,
  PatchOptions,
  Reads,
  WatchEvent,
  Watches,
  WatchQuery,
  Writes,
} from './client.ts';
export type { Clock } from './clock.ts';
export { largerLimit, pageSize, pagesOf, smallerLimit } from './pages.ts';

// A budget of work for input of tenants.

export { bytesPerUnit, type WorkBound, WorkLimitError, WorkMeter } from './meter.ts';
