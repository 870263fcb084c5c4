// The reconcilers with a plan: all declared reconcilers.
import { faces } from '../../functions/faces.ts';
import type { Face } from '../../shared/explain/face.ts';
import type { PortTypes } from '../../shared/ports.ts';
import { type Plannable, type PlannableParts, toPlannable } from './plan.ts';
import { portsOf } from './ports.ts';
import { type RequiredReconcile, readFromFiles } from './prepared-files.ts';

export const plannables: readonly Plannable[] = faces.map(({ use }) => use(face => toPlannable(toParts(face))));

function toParts<Ports extends Partial<PortTypes>, Seen extends object>(
  face: Face<Ports, Seen>,
): PlannableParts<Ports, Seen> {
  const { fromFiles } = face;
  const settlingOf = (primary: Parameters<NonNullable<typeof fromFiles>>[0]): RequiredReconcile | undefined => {
    const first = fromFiles?.(primary);
    const settling = faces.find(({ name }) => name === first?.reconciler);
    return first === undefined || settling === undefined ? undefined : { face: settling, ref: first.ref };
  };
  return {
    ...face,
    ports: portsOf(face),
    ...(fromFiles === undefined ? {} : { prepare: (asking, now) => readFromFiles(asking, now, settlingOf) }),
  };
}
