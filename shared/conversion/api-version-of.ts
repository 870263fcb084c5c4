// The API version in which references of an older version name a kind of a provider.
import { andThen, type Checked, crdNameOf, mapChecked, prefixed, toApiVersion } from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import type { ApiVersionOf } from './conversion.ts';

/** What is read of a CustomResourceDefinition. */
export interface LabelledDefinition {
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Reads the version from the contract labels of the definition. `definitionOf` returns the definition with this name, or
 * the error of the API server.
 */
export function apiVersionByLabels(definitionOf: (name: string) => Checked<LabelledDefinition>): ApiVersionOf {
  return (group, kind) => {
    const name = crdNameOf({ group, kind });
    const definition = prefixed(definitionOf(name), 'failed to get CustomResourceDefinition metadata');
    const contract = andThen(definition, ({ labels = {} }) => chooseContract({ name, labels }));
    return prefixed(
      mapChecked(contract, ({ version }) => toApiVersion({ group, version })),
      `failed to get apiVersion for kind ${kind}`,
    );
  };
}
