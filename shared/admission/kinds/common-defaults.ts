// Defaults that several kinds have.
import {
  type Checked,
  invalid,
  isEmptySelector,
  type JsonObject,
  quote,
  valid,
  valueAt,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel, setAt } from '@capi-serverless/cluster-api/contract';
import { maxSizeAnnotation, minSizeAnnotation } from '../autoscaling.ts';
import type { CheckedWrite } from './kind-rules.ts';
import { isSetAt, selectorAt, textAt, textsAt, withDefault, withEntry } from './object-fields.ts';

/** Sets the label with the name of the Cluster, whatever it was. */
export function withClusterNameLabel(object: JsonObject): JsonObject {
  return withEntry(object, 'metadata.labels', [clusterNameLabel, textAt(object, 'spec.clusterName')]);
}

/** Writes a leading "v" before a Kubernetes version. */
export function withVersionPrefix(object: JsonObject, path: string): JsonObject {
  const version = textAt(object, path);
  return version === '' || version.startsWith('v') ? object : setAt(object, path, `v${version}`);
}

const nodeDeletionSeconds = 10;

/** `path` is the `deletion` of a Machine or of a MachinePool's template. A timeout of 0 is kept. */
export function withNodeDeletionTimeout(object: JsonObject, path: string): JsonObject {
  return withDefault(object, `${path}.nodeDeletionTimeoutSeconds`, nodeDeletionSeconds);
}

/**
 * Returns the object with the label of its Cluster and `spec.replicas`. Absent replicas are 1, or with the annotations of
 * an autoscaler its minimum or the stored number between its limits.
 */
export function withReplicas({ object: written, old }: CheckedWrite, kind: string): Checked<JsonObject> {
  const object = withClusterNameLabel(written);
  if (isSetAt(object, 'spec.replicas')) {
    return valid(object);
  }
  const annotations = textsAt(object, 'metadata.annotations');
  const [least, most] = [minSizeAnnotation, maxSizeAnnotation].map(name => annotations[name]);
  if (least === undefined || most === undefined) {
    return valid(setAt(object, 'spec.replicas', 1));
  }
  const [smallest, largest] = [parseSize(least), parseSize(most)];
  if (typeof smallest === 'string') {
    return refuseSize(kind, minSizeAnnotation, { text: least, why: smallest });
  }
  if (typeof largest === 'string') {
    return refuseSize(kind, maxSizeAnnotation, { text: most, why: largest });
  }
  const stored = old === undefined ? undefined : valueAt(old, 'spec.replicas');
  const isBelow = typeof stored !== 'number' || stored < smallest;
  return valid(setAt(object, 'spec.replicas', isBelow ? smallest : Math.min(stored, largest)));
}

/** Returns the number, or the reason why the text is none that fits into 32 bits. */
function parseSize(text: string): number | 'invalid syntax' | 'value out of range' {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return 'invalid syntax';
  }
  const number = Number(text);
  return number > 2 ** 31 - 1 || number < -(2 ** 31) ? 'value out of range' : number;
}

function refuseSize(
  kind: string,
  annotation: string,
  { text, why }: { readonly text: string; readonly why: string },
): Checked<never> {
  // "caculate" is upstream's spelling.
  return invalid(
    `failed to caculate ${kind} replicas value: could not parse the value of the "${annotation}" annotation: strconv.ParseInt: parsing ${quote(text)}: ${why}`,
  );
}

/** Sets the label in the selector and in the labels of the template. */
export function withSelectedLabel(object: JsonObject, label: readonly [string, string]): JsonObject {
  const selecting = withEntry(object, 'spec.selector.matchLabels', label);
  return withEntry(selecting, 'spec.template.metadata.labels', label);
}

/**
 * Sets the label of the object in its selector and template if the selector has no requirement. The name of an object with
 * `generateName` is not known yet. Upstream uses an empty value, which is the same for all such objects of a Cluster.
 */
export function withOwnLabel(
  object: JsonObject,
  { kind, label, value }: { readonly kind: string; readonly label: string; readonly value: string },
): Checked<JsonObject> {
  if (!isEmptySelector(selectorAt(object, 'spec.selector'))) {
    return valid(object);
  }
  return textAt(object, 'metadata.name') === ''
    ? invalid(`a ${kind} with generateName must have a selector, because the default selector contains its name`)
    : valid(withSelectedLabel(object, [label, value]));
}
