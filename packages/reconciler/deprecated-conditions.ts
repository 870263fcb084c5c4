// Where the deprecated conditions of a primary are.
import type { Declaration } from './types.ts';

/** Returns the dotted path below `status`. */
export function deprecatedConditionsPath({ v1beta1Path }: Pick<Declaration, 'v1beta1Path'>): string {
  return v1beta1Path ?? 'deprecated.v1beta1.conditions';
}
