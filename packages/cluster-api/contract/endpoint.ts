// The endpoint of a cluster's API server.
import * as z from 'zod/mini';
import { type Found, mapFound, readField } from './path.ts';

export interface ControlPlaneEndpoint {
  readonly host: string;
  /** The port, or 0 if unknown. */
  readonly port: number;
}

export const zeroEndpoint: ControlPlaneEndpoint = { host: '', port: 0 };

/** Returns true if host and port are both known. */
export function isValidEndpoint(endpoint: ControlPlaneEndpoint): boolean {
  return endpoint.host !== '' && endpoint.port !== 0;
}

/** Returns `host:port`. An IPv6 host has brackets. */
export function toEndpointText(endpoint: ControlPlaneEndpoint): string {
  return `${endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`;
}

const endpointField = z.object(
  { host: z.nullish(z.string('a string')), port: z.nullish(z.int('a whole number')) },
  'an object',
);

/**
 * Reads the `spec.controlPlaneEndpoint` of a Cluster, an infrastructure cluster or a control plane. A missing part is
 * zero.
 */
export function readEndpoint(object: unknown): Found<ControlPlaneEndpoint> {
  return mapFound(readField(object, 'spec.controlPlaneEndpoint', endpointField), ({ host, port }) => ({
    host: host ?? '',
    port: port ?? 0,
  }));
}
