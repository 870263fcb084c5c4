// The API server in memory, without HTTP, I/O, clock or randomness.

// The server and its writers.

export { type ApiCore, createApiCore, type Writer } from './core/api-core.ts';
export type { Patch } from './core/update.ts';

// Admission. It is called for each write of a main resource.

export type { AdmissionReads, AdmissionRequest, Admit } from './core/admission.ts';

// The targets and selections of requests, and their results.

export type { Address, Endpoint } from './core/kinds.ts';
export type { ListOptions } from './core/list.ts';
export type { Draft, Stored } from './core/object.ts';
export { hasLabels, type Selection } from './core/selection.ts';
export { lastBookmarkMs, type Watch } from './core/watch.ts';

// Failures, in the wording of kube-apiserver.

export { invalidObject, NoSuchRouteError, StatusError } from './core/status.ts';

// JSON values in the form that the server reads.
