// Where the objects of a kind have their replicas, and the rules for these numbers. Pure.
import { type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import type { ScalePaths } from './kinds.ts';
import type { ObjectDraft } from './object.ts';
import { cause } from './schema/cause.ts';
import type { StatusCause } from './status.ts';

/** The largest number of 32 bits. */
const mostReplicas = 2 ** 31 - 1;

/** Reads the scale subresource of a definition. */
export function toScalePaths(scale: JsonObject): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    specReplicas: toPath(specReplicasPath),
    statusReplicas: toPath(statusReplicasPath),
    ...(typeof labelSelectorPath === 'string' && labelSelectorPath !== ''
      ? { selector: toPath(labelSelectorPath) }
      : {}),
  };
}

function toPath(text: unknown): readonly string[] {
  return String(text).replace(/^\./, '').split('.');
}

export function textOfPath(path: readonly string[]): string {
  return `.${path.join('.')}`;
}

export function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, object);
}

/** Returns the problems of the replicas in spec and status. */
export function problemsOfReplicas(object: ObjectDraft, paths: ScalePaths): readonly StatusCause[] {
  return [paths.specReplicas, paths.statusReplicas].flatMap(path => {
    const value = valueAt(object, path);
    const why = typeof value === 'number' ? problemOfNumber(value) : undefined;
    return why === undefined ? [] : [cause(textOfPath(path), 'Invalid value', why, value)];
  });
}

function problemOfNumber(value: number): string | undefined {
  if (value < 0) {
    return 'should be a non-negative integer';
  }
  return value > mostReplicas ? `should be less than or equal to ${mostReplicas}` : undefined;
}
