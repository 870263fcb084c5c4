// The definitions of Cluster API's kinds with their older versions, which a conversion webhook converts.
import type { Intent } from '@capi-serverless/apimachinery';
import { convertedVersions } from '../../local/converted-versions.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';

/**
 * Returns the definition with all versions of Cluster API v1.14. The schemas of older versions have the types of fields,
 * but no limits. `clientConfig` is the address of the webhook.
 */
export function withOlderVersions(crd: CustomResourceDefinition, clientConfig: object): Intent {
  const { group, names, versions } = crd.spec;
  const { kind } = names;
  const older = versions.flatMap(stored =>
    convertedVersions
      .versionsOf({ group, kind, storageVersion: stored.name })
      .map(({ name, columns, deprecation }) => ({
        ...stored,
        name,
        storage: false,
        ...(deprecation === undefined ? {} : { deprecated: true }),
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: convertedVersions.schemaOf(
            { apiVersion: `${group}/${name}`, kind },
            stored.schema.openAPIV3Schema,
          ),
        },
      })),
  );
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return older.length === 0 ? crd : { ...crd, spec: { ...crd.spec, versions: [...older, ...versions], conversion } };
}
