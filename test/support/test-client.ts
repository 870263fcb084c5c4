// A client of an API server for tests, which waits as long as a busy machine needs.
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { createKubernetes } from '../../shared/kubernetes/rest/client.ts';
import { defaultLimits } from '../../shared/kubernetes/rest/connection.ts';
import { timeLimitFactor } from './time-limits.ts';

const limits = {
  connectTimeoutMs: timeLimitFactor * defaultLimits.connectTimeoutMs,
  requestTimeoutMs: timeLimitFactor * defaultLimits.requestTimeoutMs,
};

/** Returns a client with the raised time limits of the tests. */
export function createTestClient(options: Omit<Parameters<typeof createKubernetes>[0], 'limits'>): Kubernetes {
  return createKubernetes({ ...options, limits });
}
