// Lifecycle hooks. An annotation of the Cluster lists hooks. This server blocks these hooks until the annotation is
// removed.
import { type ExtensionResponse, fieldsOf, type Handler, type HookRequest, success } from './protocol.ts';

/** Names of hooks, separated by commas. */
const holdAnnotation = 'extension.capi-serverless.dev/hold';

const defaultRetrySeconds = 10;

export const lifecycle: readonly Handler[] = [
  blocking('before-cluster-create', 'BeforeClusterCreate'),
  notified('after-control-plane-initialized', 'AfterControlPlaneInitialized'),
  blocking('before-cluster-upgrade', 'BeforeClusterUpgrade'),
  blocking('before-control-plane-upgrade', 'BeforeControlPlaneUpgrade'),
  blocking('after-control-plane-upgrade', 'AfterControlPlaneUpgrade'),
  blocking('before-workers-upgrade', 'BeforeWorkersUpgrade'),
  blocking('after-workers-upgrade', 'AfterWorkersUpgrade'),
  blocking('after-cluster-upgrade', 'AfterClusterUpgrade'),
  blocking('before-cluster-delete', 'BeforeClusterDelete'),
];

function blocking(name: string, hook: string): Handler {
  return { name, hook, answer: request => (isHeld(request, hook) ? hold(request, hook) : success()) };
}

/** Hooks that do not block. No response is needed, so an unavailable server need not be an error. */
function notified(name: string, hook: string): Handler {
  return { name, hook, failurePolicy: 'Ignore', answer: () => success() };
}

function isHeld({ cluster }: HookRequest, hook: string): boolean {
  const value = fieldsOf(fieldsOf(fieldsOf(cluster)['metadata'])['annotations'])[holdAnnotation];
  return typeof value === 'string' && value.split(',').some(held => held.trim() === hook);
}

/** The setting `retryAfterSeconds` is the time until the next call. */
function hold({ settings = {} }: HookRequest, hook: string): ExtensionResponse {
  const wished = Number(settings['retryAfterSeconds']);
  return success({
    message: `held by annotation ${holdAnnotation}, which names ${hook}`,
    retryAfterSeconds: Number.isInteger(wished) && wished > 0 ? wished : defaultRetrySeconds,
  });
}
