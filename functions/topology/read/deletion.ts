// BeforeClusterDelete: nothing of a Cluster with a topology is deleted before this hook has let it go.
import { type Checked, valid } from '../../../shared/api/checked.ts';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { AnnotationChange } from '../../../shared/runtime-hooks/rules/annotations.ts';
import { beforeClusterDelete } from '../../../shared/runtime-hooks/rules/catalog.ts';
import { isOkToDelete, markOkToDelete } from '../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import type { HookResponses } from '../../../shared/topology/model/versions.ts';
import { isBlocking, openBook, toBookkeeping } from '../../../shared/topology/upgrade/hook-book.ts';
import { askHook, type TopologyHooks } from './hooks.ts';

export interface DeletionLeave {
  /** What must be written on the Cluster; its own reconciler waits for the leave that stands there. */
  readonly change: AnnotationChange;
  readonly responses: HookResponses;
  /** Exactly how long the hook blocks; undefined: it does not. */
  readonly waitMs: number | undefined;
}

/** Without extensions there is nothing to wait for, and nobody waits. */
export async function askBeforeDeletion(
  { metadata }: Cluster,
  hooks: TopologyHooks | undefined,
): Promise<Checked<DeletionLeave>> {
  const { annotations } = metadata;
  if (hooks === undefined || isOkToDelete(annotations)) {
    return valid({ change: {}, responses: new Map(), waitMs: undefined });
  }
  const request = { cluster: hooks.cluster };
  const asked = await askHook(hooks, beforeClusterDelete, { request, book: openBook(annotations) });
  if (!asked.ok) {
    return asked;
  }
  const book = asked.value;
  const isHeld = isBlocking(book, beforeClusterDelete);
  return valid({
    change: { ...toBookkeeping(book, 'whole'), ...(isHeld ? {} : markOkToDelete(annotations)) },
    responses: book.responses,
    waitMs: isHeld ? book.waitsMs.get(beforeClusterDelete.name) : undefined,
  });
}
