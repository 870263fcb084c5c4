// Annotations that make a simulated object fail, hang or disappear.
import type { Unstructured } from '@capi-serverless/apimachinery';

export const orderPrefix = 'simulated.capi-serverless.dev/';

interface Orders {
  /** The failure to report while the annotation exists. */
  readonly fail: string | undefined;
  /** What to report as a terminal failure. */
  readonly terminal: string | undefined;
  /** The object stays as it is while it is being provisioned. */
  readonly hang: boolean;
  /** The object is removed with its finalizer, as if it had been deleted outside the provider. */
  readonly lose: boolean;
  /** The API server of the workload cluster does not answer. */
  readonly unreachable: boolean;
  /** Deletion makes no progress. */
  readonly deleteHang: boolean;
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
  };
}

const holdingUp = {
  progress: ({ metadata }: Unstructured) =>
    metadata.deletionTimestamp === undefined ? ['terminal', 'fail', 'hang'] : ['delete-hang'],
  connections: () => ['unreachable'],
} as const;

/** The annotation that holds a simulated object up, for `why`. */
export function findOrder(object: Unstructured, holdsUp: keyof typeof holdingUp): string | undefined {
  const keys = holdingUp[holdsUp](object).map(order => `${orderPrefix}${order}`);
  return keys.find(key => object.metadata.annotations?.[key] !== undefined);
}
