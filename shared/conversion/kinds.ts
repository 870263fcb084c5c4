// The kinds that can be converted. v1beta2 is the version that is stored, and all conversions lead through it.
import { Codec } from './codec.ts';
import { parseShapes } from './parse-shapes.ts';
import type { KindRule } from './rule.ts';
import { coreKinds, coreRules } from './rules/core-rules.ts';
import { otherKinds, otherRules } from './rules/other-rules.ts';
import { ShapeBook } from './shape.ts';
import { coreV1Beta1Shapes } from './shapes/core-kinds-v1beta1.ts';
import { coreV1Beta2Shapes } from './shapes/core-kinds-v1beta2.ts';
import { kubernetesShapes } from './shapes/kubernetes-types.ts';
import { otherShapes } from './shapes/other-kinds.ts';

export const storedVersion = 'v1beta2';

export const conversionRules = { ...coreRules, ...otherRules };

const groups: Readonly<Record<string, readonly string[]>> = {
  'cluster.x-k8s.io': [
    'Cluster',
    'ClusterClass',
    'Machine',
    'MachineSet',
    'MachineDeployment',
    'MachinePool',
    'MachineHealthCheck',
    'MachineDrainRule',
  ],
  'addons.cluster.x-k8s.io': ['ClusterResourceSet', 'ClusterResourceSetBinding'],
  'ipam.cluster.x-k8s.io': ['IPAddress', 'IPAddressClaim'],
  'runtime.cluster.x-k8s.io': ['ExtensionConfig'],
};

const kindRules: Readonly<Record<string, KindRule>> = { ...coreKinds, ...otherKinds };

export interface ConvertibleKind {
  readonly group: string;
  readonly kind: string;
  /** The versions other than the stored one. */
  readonly olderVersions: readonly string[];
}

export const convertibleKinds: readonly ConvertibleKind[] = Object.entries(groups).flatMap(([group, kinds]) =>
  kinds.map(kind => ({ group, kind, olderVersions: olderVersionsOf(kind) })),
);

function olderVersionsOf(kind: string): readonly string[] {
  return Object.keys(kindRules)
    .filter(name => name.endsWith(`.${kind}`))
    .map(name => name.slice(0, name.indexOf('.')));
}

/** Returns the kind, or `undefined` if it is not convertible. */
export function findConvertible(group: string, kind: string): ConvertibleKind | undefined {
  return convertibleKinds.find(each => each.group === group && each.kind === kind);
}

/** Returns the rule of a kind in an older version. */
export function kindRuleOf(version: string, kind: string): KindRule {
  return kindRules[`${version}.${kind}`] ?? {};
}

/** Parsed with the first conversion, because most processes convert nothing. */
let parsed: { readonly book: ShapeBook; readonly codec: Codec } | undefined;

export function shapesOfKinds(): { readonly book: ShapeBook; readonly codec: Codec } {
  if (parsed === undefined) {
    const book = new ShapeBook(parseShapes(kubernetesShapes, coreV1Beta1Shapes, coreV1Beta2Shapes, otherShapes));
    parsed = { book, codec: new Codec(book) };
  }
  return parsed;
}
