// A MachineSet and its templates, as extensions receive them.
import {
  compareText,
  type Intent,
  type JsonObject,
  toRecord,
  toSortedJson,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { CanUpdateMachineSetRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';

/** An object in this version of an API. The fields that extensions do not receive are ignored. */
export interface SentObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string | undefined;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

export interface SetObjects {
  /** As the deployment applies it in this pass. */
  readonly set: Intent;
  readonly infrastructure: SentObject;
  /** `undefined`: the Machines get no bootstrap config. */
  readonly bootstrap: SentObject | undefined;
}

interface InPlaceChange {
  /** The old MachineSet. */
  readonly current: SetObjects;
  /** The MachineSet that would get its Machines. */
  readonly desired: SetObjects;
}

export function toRequest({ current, desired }: InPlaceChange): CanUpdateMachineSetRequest {
  return { current: toParts(current), desired: toParts(desired) };
}

function toParts({ set, infrastructure, bootstrap }: SetObjects): CanUpdateMachineSetRequest['current'] {
  return {
    machineSet: toSent(set),
    infrastructureMachineTemplate: toSent(infrastructure),
    ...(bootstrap === undefined ? {} : { bootstrapConfigTemplate: toSent(bootstrap) }),
  };
}

/** Extensions receive neither status nor owner references. */
function toSent({ apiVersion, kind, metadata, spec }: SentObject): JsonObject {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
}

/** The fields of the Machine template that start a rollout. All others are changed without extension. */
const comparedFields = ['version', 'failureDomain', 'bootstrap', 'infrastructureRef'];

/** The key of a remembered answer. It changes with everything that the comparison reads. */
export function toMemoryKey({ current, desired }: InPlaceChange): string {
  return JSON.stringify([current, desired].map(toKeyParts));
}

function toKeyParts({ set, infrastructure, bootstrap }: SetObjects): readonly unknown[] {
  const template = toRecord(valueAt(set, 'spec.template.spec'));
  const compared = Object.entries(template).filter(([field]) => comparedFields.includes(field));
  const sorted = compared.toSorted(([a], [b]) => compareText(a, b));
  const versions = [infrastructure, ...(bootstrap === undefined ? [] : [bootstrap])].map(
    ({ metadata: { uid, generation } }) => [uid, generation],
  );
  return [
    set.metadata.namespace,
    set.metadata.name,
    set.metadata.uid,
    toSortedJson(Object.fromEntries(sorted)),
    versions,
  ];
}
