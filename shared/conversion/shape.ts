// The fields of a type in one version: names, types, and whether an empty field is written. In the declared order.
import { type Scalar, type Shapes, scalars } from './parse-shapes.ts';

export type FieldType =
  | { readonly is: Scalar }
  | { readonly is: 'struct'; readonly name: string }
  | { readonly is: 'pointer' | 'list' | 'map'; readonly of: FieldType };

export interface ShapeField {
  readonly name: string;
  readonly type: FieldType;
  /** An empty field is left out. */
  readonly isOptional: boolean;
}

/** Looks up shapes, and parses each of them once. */
export class ShapeBook {
  readonly #shapes: Shapes;
  readonly #parsed = new Map<string, ReadonlyMap<string, ShapeField>>();

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Returns the fields of a struct, by name and in order. */
  fieldsOf(name: string): ReadonlyMap<string, ShapeField> {
    const known = this.#parsed.get(name);
    if (known !== undefined) {
      return known;
    }
    const shape = this.#shapes[name];
    if (shape === undefined) {
      throw new Error(`There is no shape ${name}`);
    }
    const fields = new Map(Object.entries(shape).map(([field, text]) => [field, toField(field, text)]));
    this.#parsed.set(name, fields);
    return fields;
  }

  /** Returns the type at a path of fields. Pointers on the way are followed. */
  typeAt(struct: string, [first = '', ...rest]: readonly string[]): FieldType {
    const type = this.fieldsOf(struct).get(first)?.type;
    if (type === undefined) {
      throw new Error(`There is no field ${first} in ${struct}`);
    }
    return rest.length === 0 ? type : this.typeAt(structIn(type), rest);
  }
}

function structIn(type: FieldType): string {
  const inner = type.is === 'pointer' ? type.of : type;
  return inner.is === 'struct' ? inner.name : inner.is;
}

function toField(name: string, text: string): ShapeField {
  return { name, isOptional: text.startsWith('?'), type: parseType(text.replace(/^\?/, '')) };
}

const wrappers: readonly (readonly [mark: string, is: 'pointer' | 'list' | 'map'])[] = [
  ['*', 'pointer'],
  ['[]', 'list'],
  ['<>', 'map'],
];

function parseType(text: string): FieldType {
  const wrapper = wrappers.find(([mark]) => text.startsWith(mark));
  if (wrapper !== undefined) {
    return { is: wrapper[1], of: parseType(text.slice(wrapper[0].length)) };
  }
  const scalar = scalars.find(each => each === text);
  return scalar === undefined ? { is: 'struct', name: text } : { is: scalar };
}
