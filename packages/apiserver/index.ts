// The API server over HTTPS, on loopback only.

// The start of a server.

export type { AuditOptions } from './audit/open.ts';
export { type ApiServerOptions, startApiServer } from './server.ts';

// The kubeconfigs of its users.

export { toKubeconfig, writeKubeconfig } from './http/write-kubeconfig.ts';
