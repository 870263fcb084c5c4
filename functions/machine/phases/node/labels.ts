// The labels and annotations that a Machine gives to its Node. The keys that it gave are stored in annotations of the
// Node, so that a key is removed from the Node when the Machine loses it.
import { compareText } from '@capi-serverless/apimachinery';

type Texts = Readonly<Record<string, string>>;

/** A change of a map: null removes the key. */
export type MapPatch = Readonly<Record<string, string | null>>;

export const interruptibleLabel = 'cluster.x-k8s.io/interruptible';

const labelsFromMachine = 'cluster.x-k8s.io/labels-from-machine';
const annotationsFromMachine = 'cluster.x-k8s.io/annotations-from-machine';
export const taintsFromMachine = 'cluster.x-k8s.io/taints-from-machine';

/** No Machine gives these annotations to its Node. */
const bookkeeping: readonly string[] = [labelsFromMachine, annotationsFromMachine, taintsFromMachine];

/** Annotations of every Node. They are removed when a Machine no longer has the value, also without a stored key. */
const wellKnownAnnotations = [
  'cluster.x-k8s.io/cluster-name',
  'cluster.x-k8s.io/cluster-namespace',
  'cluster.x-k8s.io/machine',
  'cluster.x-k8s.io/owner-kind',
  'cluster.x-k8s.io/owner-name',
] as const;

/** Whether a setting of the deployment selects further keys. */
export type SelectsKey = (key: string) => boolean;

/** Returns the labels that the Node gets from the labels of its Machine. */
export function nodeLabelsOf(labels: Texts, isAdditional: SelectsKey): Texts {
  return selected(labels, key => {
    const domain = domainOf(key);
    return (
      domain === 'node-role.kubernetes.io' ||
      isWithin(domain, 'node-restriction.kubernetes.io') ||
      isWithin(domain, 'node.cluster.x-k8s.io') ||
      isAdditional(key)
    );
  });
}

interface MachineOfNode {
  readonly clusterName: string;
  readonly namespace: string;
  readonly name: string;
  /** The controller of the Machine. */
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
  readonly annotations: Texts;
}

/** Returns the annotations that the Node gets. Annotations of the Machine have precedence. */
export function nodeAnnotationsOf(machine: MachineOfNode, isAdditional: SelectsKey): Texts {
  const { clusterName, namespace, name, owner, annotations } = machine;
  return {
    'cluster.x-k8s.io/cluster-name': clusterName,
    'cluster.x-k8s.io/cluster-namespace': namespace,
    'cluster.x-k8s.io/machine': name,
    ...(owner === undefined
      ? {}
      : { 'cluster.x-k8s.io/owner-kind': owner.kind, 'cluster.x-k8s.io/owner-name': owner.name }),
    ...selected(
      annotations,
      key => (isWithin(domainOf(key), 'node.cluster.x-k8s.io') || isAdditional(key)) && !bookkeeping.includes(key),
    ),
  };
}

interface NodeMaps {
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** `isLabelUnknown`: whether a label is wanted could not be determined. It stays as it is. */
interface Wanted extends NodeMaps {
  readonly isLabelUnknown: SelectsKey;
}

/**
 * Returns the changes that give the Node the wanted labels and annotations. Keys that a Machine never set are kept. A key
 * that already has the wanted value is stored as set by the Machine.
 */
export function planNodeMaps(
  node: NodeMaps,
  wanted: Wanted,
): { readonly labels: MapPatch; readonly annotations: MapPatch } {
  const { isLabelUnknown } = wanted;
  const setLabels = storedKeys(node.annotations[labelsFromMachine]);
  const setAnnotations = [...storedKeys(node.annotations[annotationsFromMachine]), ...wellKnownAnnotations];
  const keptLabels = setLabels.filter(key => isLabelUnknown(key) && !(key in wanted.labels));
  const isWellKnown = (key: string) => wellKnownAnnotations.some(known => known === key);
  const stored = {
    [labelsFromMachine]: toStored([...Object.keys(wanted.labels), ...keptLabels]),
    [annotationsFromMachine]: toStored(Object.keys(wanted.annotations).filter(key => !isWellKnown(key))),
  };
  return {
    labels: patchOf(
      node.labels,
      wanted.labels,
      setLabels.filter(key => !keptLabels.includes(key)),
    ),
    annotations: patchOf(
      node.annotations,
      { ...wanted.annotations, ...stored },
      setAnnotations.filter(key => !bookkeeping.includes(key)),
    ),
  };
}

/** Sets what is missing or different. Removes the given keys that are present and not wanted. */
function patchOf(present: Texts, wanted: Texts, removable: readonly string[]): MapPatch {
  const set = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  const removed = removable.filter(key => key in present && !(key in wanted));
  return Object.fromEntries<string | null>([...set, ...removed.map(key => [key, null] as const)]);
}

function storedKeys(text = ''): readonly string[] {
  return text.split(',').filter(key => key !== '');
}

function toStored(keys: readonly string[]): string {
  return [...keys].sort(compareText).join(',');
}

function selected(map: Texts, isMeant: SelectsKey): Texts {
  return Object.fromEntries(Object.entries(map).filter(([key]) => isMeant(key)));
}

/** The part before the first slash, or the whole key. */
function domainOf(key: string): string {
  return key.split('/', 1).join();
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
