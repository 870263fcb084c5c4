// Reads objects of Cluster API in older versions, such as v1beta1.
import type { Intent } from '@capi-serverless/apimachinery';
import type { ObjectProblem } from '../../local/findings/finding.ts';
import type { CheckedObject } from '../../local/findings/subjects.ts';
import { coreCrdOf } from '../../shared/api/crds.ts';
import { unknownFields } from '../../shared/conversion/older-fields.ts';
import { isInOlderVersion, toStoredForm } from '../../shared/conversion/stored-form.ts';

/** An object in the version that is stored. */
export interface StoredObject extends CheckedObject {
  /** The object of the file, if it is in an older version. */
  readonly original?: Intent;
  /** The problems of the version of the file. */
  readonly problems: readonly ObjectProblem[];
}

/** An object that cannot be converted is returned unchanged, with an error. */
export function toStored(subject: CheckedObject): StoredObject {
  const { object: original } = subject;
  if (!isInOlderVersion(original) || coreCrdOf(original) === undefined) {
    return { ...subject, problems: [] };
  }
  const stored = toStoredForm(original);
  if (!stored.ok) {
    return { ...subject, problems: [toProblem(stored.error)] };
  }
  const { object, deprecation } = stored.value;
  const unknown = unknownFields(original);
  return {
    ...subject,
    object,
    original,
    problems: [
      { severity: 'warning', field: 'apiVersion', message: deprecation ?? '' },
      ...unknown.map(
        (field): ObjectProblem => ({
          severity: 'error',
          field,
          message: 'the kind has no such field; it would be dropped',
        }),
      ),
    ],
  };
}

/** Some errors begin with the field. */
function toProblem(error: string): ObjectProblem {
  const [, field = '', message = error] = /^((?:spec|status)[\w.[\]-]*): (.*)$/.exec(error) ?? [];
  return { severity: 'error', field, message };
}
