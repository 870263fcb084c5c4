// The fields of a control plane object that the core reads.
import type { Semver } from '@capi-serverless/apimachinery/semver';
import * as z from 'zod/mini';
import type { ContractVersion } from './contract-version.ts';
import { type Found, mapFound, readBoolean, readField, readInteger, readString, valueOr, wrongType } from './path.ts';
import { providerPaths } from './provider-paths.ts';
import { compareVersionsWithBuild, parseVersion } from './version.ts';

/** The number of replicas with one Kubernetes version. */
export interface StatusVersion {
  readonly version: string;
  readonly replicas?: number | undefined;
}

/** The reported counters. A field with a wrong type is different from an absent field. */
interface ReplicaCounters {
  readonly desired: Found<number>;
  readonly replicas: Found<number>;
  readonly ready: Found<number>;
  readonly available: Found<number>;
  readonly upToDate: Found<number>;
}

/** Returns whether the control plane has accepted requests once. Never reset. */
export function readInitialized(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].controlPlaneInitialized);
}

/** Returns whether no Machines run the control plane. A field of another type counts as false. */
export function isExternallyManaged(object: unknown): boolean {
  return valueOr(readBoolean(object, 'status.externalManagedControlPlane'), false);
}

/** In v1beta1, available is desired minus unavailable and at least 0. It is unknown if either is unknown. */
export function readReplicaCounters(object: unknown, contract: ContractVersion): ReplicaCounters {
  const desired = readInteger(object, 'spec.replicas');
  const shared = {
    desired,
    replicas: readInteger(object, 'status.replicas'),
    ready: readInteger(object, 'status.readyReplicas'),
  };
  switch (contract) {
    case 'v1beta2':
      return {
        ...shared,
        available: readInteger(object, 'status.availableReplicas'),
        upToDate: readInteger(object, 'status.upToDateReplicas'),
      };
    case 'v1beta1':
      return {
        ...shared,
        available: subtract(desired, readInteger(object, 'status.unavailableReplicas')),
        upToDate: readInteger(object, 'status.updatedReplicas'),
      };
  }
}

const versionsPath = 'status.versions';

/** The limits of Clusters. The API server refuses the whole status of a Cluster above them. */
const mostVersions = 32;
const longestVersion = 256;

const versionText = z.string('a string').check(z.maxLength(longestVersion, `at most ${longestVersion} characters`));
const versionList = z
  .array(z.object({ version: versionText, replicas: z.nullish(z.int('a whole number')) }, 'an object'), 'a list')
  .check(z.maxLength(mostVersions, `at most ${mostVersions} items`));

/**
 * Reads `status.versions`. The type is also wrong if a version or count is invalid, if the list is not ascending, or if
 * it is longer than a Cluster may have.
 */
export function readStatusVersions(object: unknown): Found<readonly StatusVersion[]> {
  const list = mapFound(readField(object, versionsPath, versionList), items =>
    items.map(({ version, replicas }): StatusVersion => {
      return replicas === undefined || replicas === null ? { version } : { version, replicas };
    }),
  );
  const problem = list.state === 'value' ? problemOf(list.value) : undefined;
  return problem === undefined ? list : wrongType(versionsPath, problem);
}

/** Reads `spec.version`. */
export function readDesiredVersion(object: unknown): Found<string> {
  return readString(object, 'spec.version');
}

/** Reads `status.version`. */
export function readCurrentVersion(object: unknown): Found<string> {
  return readString(object, 'status.version');
}

function subtract(from: Found<number>, what: Found<number>): Found<number> {
  if (from.state !== 'value' || what.state !== 'value') {
    return from.state === 'value' ? what : from;
  }
  return { state: 'value', value: Math.max(from.value - what.value, 0) };
}

function problemOf(list: readonly StatusVersion[]): string | undefined {
  let previous: Semver | undefined;
  for (const { version, replicas = 0 } of list) {
    const parsed = parseVersion(version);
    if (parsed === undefined) {
      return `${JSON.stringify(version)} is not a semantic version`;
    }
    if (previous !== undefined && compareVersionsWithBuild(previous, parsed) === 1) {
      return `${JSON.stringify(version)} stands after a newer version`;
    }
    if (replicas < 0) {
      return `${JSON.stringify(version)} has ${replicas} replicas`;
    }
    previous = parsed;
  }
  return undefined;
}
