// What a conversion of one object needs.
import type { Checked } from '@capi-serverless/apimachinery';
import type { RuleTable } from './rule.ts';
import type { ShapeBook } from './shape.ts';

/** Returns the API version in which references name a kind. The labels of its definition contain it. */
export type ApiVersionOf = (group: string, kind: string) => Checked<string>;

export interface Conversion {
  readonly book: ShapeBook;
  readonly rules: RuleTable;
  readonly to: 'newer' | 'older';
  /** The namespace of the object. References of the older version name it. */
  readonly namespace: string | undefined;
  readonly apiVersionOf: ApiVersionOf;
}
