// References to objects of providers. The newer version has no API version in them: it is read from the labels of the
// definition.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Struct } from './codec.ts';
import type { Conversion } from './conversion.ts';
import { ConversionError } from './conversion-error.ts';

/** Drops version, namespace and everything else but the name. Throws ConversionError for an invalid apiVersion. */
export function toContractReference({ apiVersion, kind, name }: Struct): Struct {
  return withoutUndefined({ kind, name, apiGroup: groupIn(apiVersion) });
}

function groupIn(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== 'string' || !apiVersion.includes('/') || apiVersion === '/') {
    return undefined;
  }
  const [group, , ...more] = apiVersion.split('/');
  if (more.length > 0) {
    throw new ConversionError(
      `failed to convert object: failed to parse apiVersion: unexpected GroupVersion string: ${apiVersion}`,
    );
  }
  return group === '' ? undefined : group;
}

/** An empty reference stays empty, and no definition is read for it. */
export function toObjectReference(reference: Struct, { apiVersionOf, namespace }: Conversion): Struct {
  const { apiGroup, kind, name } = reference;
  if (apiGroup === undefined && kind === undefined && name === undefined) {
    return {};
  }
  const apiVersion = apiVersionOf(textOf(apiGroup), textOf(kind));
  if (!apiVersion.ok) {
    throw new ConversionError(`failed to convert object: ${apiVersion.error}`);
  }
  return withoutUndefined({ kind, namespace, name, apiVersion: apiVersion.value });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
