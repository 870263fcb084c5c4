// The older versions of Cluster API's kinds in the API server of a local run.
import { invalid, valid } from '@capi-serverless/apimachinery';
import type { VersionConversion } from '@capi-serverless/apiserver/core';
import { apiVersionByLabels } from '../shared/conversion/api-version-of.ts';
import { convert } from '../shared/conversion/convert.ts';
import { findConvertible, storedVersion } from '../shared/conversion/kinds.ts';
import { unknownFields } from '../shared/conversion/older-fields.ts';

export const convertedVersions: VersionConversion = {
  versionsOf: ({ group, kind }) =>
    (findConvertible(group, kind)?.olderVersions ?? []).map(name => ({
      name,
      deprecation: `${group}/${name} ${kind} is deprecated; use ${group}/${storedVersion} ${kind}`,
    })),
  convert: (object, version, labelsOf) =>
    convert(
      object,
      version,
      apiVersionByLabels(name => {
        const labels = labelsOf(name);
        return labels === undefined
          ? invalid(`customresourcedefinitions.apiextensions.k8s.io "${name}" not found`)
          : valid({ labels });
      }),
    ),
  unknownFields,
};
