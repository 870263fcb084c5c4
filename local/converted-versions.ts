// The older versions of Cluster API's kinds in the API server of a local run.
import { toApiVersion, valid } from '@capi-serverless/apimachinery';
import type { VersionConversion } from '@capi-serverless/apiserver/core';
import { apiVersionByLabels } from '../shared/conversion/api-version-of.ts';
import type { ApiVersionOf } from '../shared/conversion/conversion.ts';
import { convert } from '../shared/conversion/convert.ts';
import { type ConvertibleKind, findConvertible, storedVersion } from '../shared/conversion/kinds.ts';
import { olderField, unknownFields } from '../shared/conversion/older-fields.ts';
import { olderSchema } from '../shared/conversion/older-schema.ts';
import { olderColumns } from './older-columns.ts';

export const convertedVersions: VersionConversion = {
  versionsOf({ group, kind, storageVersion }) {
    const known = storageVersion === storedVersion ? findConvertible(group, kind) : undefined;
    return (known?.olderVersions ?? []).map(name => ({
      name,
      columns: olderColumns(kind),
      ...(isDeprecated(known?.olderVersions ?? [], name)
        ? { deprecation: `${group}/${name} ${kind} is deprecated; use ${group}/${storedVersion} ${kind}` }
        : {}),
    }));
  },
  convert: (object, version, labelsOf) => convert(object, version, referenceVersion(labelsOf)),
  unknownFields,
  fieldOf: olderField,
  schemaOf: olderSchema,
};

/** Of two older versions, Cluster API deprecates only the newer one. */
function isDeprecated(versions: ConvertibleKind['olderVersions'], name: string): boolean {
  return versions.length === 1 || name !== 'v1alpha1';
}

type LabelsOf = Parameters<VersionConversion['convert']>[2];

/**
 * Cluster API's webhooks refuse to convert an object whose provider is not installed. Here, its reference gets the
 * version of the core kinds, so that the object can be read.
 */
function referenceVersion(labelsOf: LabelsOf): ApiVersionOf {
  const byLabels = apiVersionByLabels(name => valid({ labels: labelsOf(name) ?? {} }));
  return (group, kind) => {
    const found = byLabels(group, kind);
    return found.ok ? found : valid(toApiVersion({ group, version: storedVersion }));
  };
}
