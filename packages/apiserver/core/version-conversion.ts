// The port of programs that convert versions of custom kinds.
import type { Checked, JsonObject } from '@capi-serverless/apimachinery';
import type { TypedObject } from './kinds.ts';

interface ConvertedVersion {
  readonly name: string;
  /** The warning for requests of this version. */
  readonly deprecation?: string;
}

/** Converts objects of the kinds of definitions. */
export interface VersionConversion {
  /** Returns the versions that are served besides those of the definition. */
  versionsOf(of: { readonly group: string; readonly kind: string }): readonly ConvertedVersion[];
  /** `labelsOf` returns the labels of a definition, or `undefined` without the definition. */
  convert(
    object: TypedObject,
    version: string,
    labelsOf: (definition: string) => Readonly<Record<string, string>> | undefined,
  ): Checked<JsonObject>;
  /** Returns the fields that the version of the object does not have. */
  unknownFields(object: TypedObject): readonly string[];
}
