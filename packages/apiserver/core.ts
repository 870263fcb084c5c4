// The API server in memory, without HTTP, I/O, clock or randomness.

// The server and its writers.

export { type ApiCore, type ApiCoreOptions, createApiCore } from './core/api-core.ts';
export type { Patch } from './core/update.ts';
export type { ApiWriter } from './core/writer.ts';

// Versions that a program converts.

export type { VersionConversion } from './core/version-conversion.ts';

// Admission. It is called for each write of a main resource.

export type { AdmissionReads, AdmissionRequest, Admit, Mutate } from './core/admission.ts';

// The targets and selections of requests, and their results.

export type { Address, ResourceEndpoint } from './core/kinds.ts';
export type { ListOptions } from './core/list.ts';
export type { ObjectDraft, Stored } from './core/object.ts';
export { hasFields, hasLabelKeys, hasLabels, type Selection } from './core/selection.ts';
export { lastBookmarkMs, type ResourceWatch } from './core/watch.ts';

// Failures, in the wording of kube-apiserver.

export { invalidObject, NoSuchRouteError, StatusError } from './core/status.ts';

// JSON values in the form that the server reads.
