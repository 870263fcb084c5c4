// The annotations of simulated providers that delay objects.
import type { Unstructured } from '@capi-serverless/apimachinery';

/**
 * The annotation with which a user asked the provider to delay an object or to refuse connections to its API server.
 * `undefined` if there is none. Simulated providers support such annotations.
 */
export type FindOrder = (object: Unstructured, holdsUp: 'progress' | 'connections') => string | undefined;
