// The API server over HTTPS, on loopback only.

// Starting it.

export type { AuditOptions } from './audit/open.ts';
export { type ApiServerOptions, startApiServer } from './server.ts';

// Kubeconfigs of its users.

export { toKubeconfig, writeKubeconfig } from './http/kubeconfig.ts';
