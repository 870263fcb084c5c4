// Parses external snapshots. It is a separate module, so that a server without a snapshot does not load the schema
// library.

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import * as z from 'zod';
import { SnapshotError, type StoreSnapshot, snapshotVersion } from './snapshot.ts';

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

/** Throws SnapshotError with the field. */
export function parseSnapshot(raw: unknown): StoreSnapshot {
  const parsed = snapshotSchema.safeParse(raw);
  if (!parsed.success) {
    throw new SnapshotError(toSchemaProblem(parsed.error));
  }
  // The schema has checked every member that distinguishes a stored object.
  return parsed.data as StoreSnapshot;
}
