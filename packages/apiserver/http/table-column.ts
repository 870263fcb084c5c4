// A column of a table, and the columns that most kinds have. Pure.
import { type Instant, memberOf } from '@capi-serverless/apimachinery';
import type { Stored } from '../core/object.ts';
import { toAge } from './age.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly cell: (object: Stored, now: Instant) => unknown;
}

/** Without `parts`, the column has texts and is always shown. */
export function column(
  name: string,
  cell: TableColumn['cell'],
  parts: Partial<Pick<TableColumn, 'type' | 'format' | 'description' | 'priority'>> = {},
): TableColumn {
  return { name, type: 'string', format: '', description: '', priority: 0, ...parts, cell };
}

export const nameColumn = column('Name', object => object.metadata.name, { format: 'name' });
export const ageColumn = column('Age', (object, now) => toAge(object.metadata.creationTimestamp, now));

/** Returns the text at a path. Empty if the path is absent. */
export function textAt(...path: readonly string[]): (object: Stored) => string {
  return object => {
    const value = path.reduce<unknown>(memberOf, object);
    return value === undefined || value === null ? '' : String(value);
  };
}
