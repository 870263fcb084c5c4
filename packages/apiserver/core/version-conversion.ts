// The port of programs that convert versions of custom kinds.
import type { Checked, JsonObject } from '@capi-serverless/apimachinery';
import type { Column, TypedObject, VersionedKind } from './kinds.ts';

export interface ConvertedVersion {
  readonly name: string;
  /** The warning for requests of this version. */
  readonly deprecation?: string;
  /** The columns after the name. If absent, only the age is shown. */
  readonly columns?: readonly Column[];
}

/** Converts objects of the kinds of definitions. */
export interface VersionConversion {
  /** Returns the versions that are converted from and to the stored version. */
  versionsOf(of: VersionedKind): readonly ConvertedVersion[];
  /** `labelsOf` returns the labels of a definition, or `undefined` without the definition. */
  convert(
    object: TypedObject,
    version: string,
    labelsOf: (definition: string) => Readonly<Record<string, string>> | undefined,
  ): Checked<JsonObject>;
  /** Returns the fields that the version of the object does not have. */
  unknownFields(object: TypedObject): readonly string[];
  /** Returns the name that a field of the stored version has in the version of the object. */
  fieldOf(object: TypedObject, field: string): string;
  /** Returns the schema for OpenAPI. `stored` is that of the stored version. */
  schemaOf(kind: TypedObject, stored: unknown): JsonObject;
}
