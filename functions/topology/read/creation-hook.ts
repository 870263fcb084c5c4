// BeforeClusterCreate: asked until it lets the first object of a topology be made.
import { type Checked, valid } from '../../../shared/api/checked.ts';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { beforeClusterCreate } from '../../../shared/runtime-hooks/rules/catalog.ts';
import { type HookBook, isBlocking } from '../../../shared/topology/upgrade/hook-book.ts';
import { askHook, type TopologyHooks } from './hooks.ts';

export interface CreationLeave {
  readonly book: HookBook;
  /** Undefined: the topology may be made. Otherwise nothing is, and this is exactly how long the hook blocks. */
  readonly waitMs: number | undefined;
}

/** A Cluster that names its infrastructure or its control plane is there already, and nobody is asked. */
export async function askBeforeCreation(
  { spec }: Cluster,
  book: HookBook,
  hooks: TopologyHooks | undefined,
): Promise<Checked<CreationLeave>> {
  if (hooks === undefined || isDefined(spec.infrastructureRef) || isDefined(spec.controlPlaneRef)) {
    return valid({ book, waitMs: undefined });
  }
  const asked = await askHook(hooks, beforeClusterCreate, { request: { cluster: hooks.cluster }, book });
  if (!asked.ok) {
    return asked;
  }
  const isHeld = isBlocking(asked.value, beforeClusterCreate);
  return valid({
    book: asked.value,
    waitMs: isHeld ? asked.value.waitsMs.get(beforeClusterCreate.name) : undefined,
  });
}
