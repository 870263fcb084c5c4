// Snapshots from outside. Apart from the rest, since a server without one need not load what checks them.
import * as z from 'zod';
import { toSchemaProblem } from '../../../../shared/api/schema-problem.ts';
import { type Snapshot, SnapshotError, snapshotVersion } from './snapshot.ts';

const version = z.coerce.number().int().positive();

const snapshotSchema = z.object({
  v: z.literal(snapshotVersion),
  resourceVersion: version,
  objects: z.array(
    z.looseObject({
      apiVersion: z.string().min(1),
      kind: z.string().min(1),
      metadata: z.looseObject({
        name: z.string().min(1),
        namespace: z.string().optional(),
        uid: z.string().min(1),
        resourceVersion: version.transform(String),
      }),
    }),
  ),
});

/** Throws SnapshotError that names the field. */
export function parseSnapshot(raw: unknown): Snapshot {
  const parsed = snapshotSchema.safeParse(raw);
  if (!parsed.success) {
    throw new SnapshotError(toSchemaProblem(parsed.error));
  }
  // The schema has seen all that tells a stored object from any other.
  return parsed.data as Snapshot;
}
