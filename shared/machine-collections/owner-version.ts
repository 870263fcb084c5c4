// The version of a MachineSet or MachineDeployment for the objects that it owns. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { deploymentNameLabel } from '../api/machine-deployment/reader.ts';
import { revisionAnnotation } from './keys.ts';

/** The parts that members read. Status is not one of them. */
export function ownerVersion(owner: Unstructured): string {
  return JSON.stringify([owner.metadata.generation, ...ownerMarks(owner)]);
}

/** The metadata that members read. */
export function ownerMarks({ metadata: { annotations, labels } }: Unstructured): readonly unknown[] {
  return [annotations?.[revisionAnnotation], labels?.[deploymentNameLabel]];
}
