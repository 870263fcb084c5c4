// Misbehaviour on request: annotations that make a simulated object fail, hang or vanish.
import type { Unstructured } from '../../../shared/api/object.ts';

export const orderPrefix = 'simulated.capi-serverless.dev/';

export interface Orders {
  /** What to report as a failure for as long as the annotation is there. */
  readonly fail: string | undefined;
  /** What to report as a failure that no retry can mend. */
  readonly terminal: string | undefined;
  /** Whatever is under way makes no progress. */
  readonly hang: boolean;
  /** The object vanishes, finalizer and all, as if somebody had removed it behind our back. */
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
