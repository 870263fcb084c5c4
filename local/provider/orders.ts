// Annotations that cause a simulated object to fail, to make no progress, or to disappear.
import type { Unstructured } from '@capi-serverless/apimachinery';

export const orderPrefix = 'simulated.capi-serverless.dev/';

interface Orders {
  /** The failure that is reported while the annotation exists. */
  readonly fail: string | undefined;
  /** The message of a terminal failure. */
  readonly terminal: string | undefined;
  /** While the annotation exists, the object does not progress from its current provisioning step. */
  readonly hang: boolean;
  /** The object is removed with its finalizer, as if it were deleted outside the provider. */
  readonly lose: boolean;
  /** The API server of the workload cluster does not answer. */
  readonly unreachable: boolean;
  /** Deletion makes no progress. */
  readonly deleteHang: boolean;
  /** The kubelet of the machine reports that its Node is not ready, with this message. */
  readonly failNode: string | undefined;
  /** The kubelet of the machine reports nothing, and ends no Pods. */
  readonly loseNode: boolean;
  /** A volume is attached to the Node of the machine, until the annotation is removed. */
  readonly volume: boolean;
}

export function ordersOf({ metadata }: Pick<Unstructured, 'metadata'>): Orders {
  const order = (name: string): string | undefined => metadata.annotations?.[`${orderPrefix}${name}`];
  return {
    fail: order('fail'),
    terminal: order('terminal'),
    hang: order('hang') !== undefined,
    lose: order('lose') !== undefined,
    unreachable: order('unreachable') !== undefined,
    deleteHang: order('delete-hang') !== undefined,
    failNode: order('fail-node'),
    loseNode: order('lose-node') !== undefined,
    volume: order('volume') !== undefined,
  };
}

const holdingUp = {
  progress: ({ metadata }: Unstructured) =>
    metadata.deletionTimestamp === undefined ? ['terminal', 'fail', 'hang'] : ['delete-hang'],
  connections: () => ['unreachable'],
} as const;

/** Returns the annotation that delays a simulated object, for `why`. */
export function findOrder(object: Unstructured, holdsUp: keyof typeof holdingUp): string | undefined {
  const keys = holdingUp[holdsUp](object).map(order => `${orderPrefix}${order}`);
  return keys.find(key => object.metadata.annotations?.[key] !== undefined);
}
