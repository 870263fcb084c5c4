import { describe, expect, it } from 'vitest';
import { Codec } from '../../../../shared/conversion/codec.ts';
import { conversionRules, convertibleKinds, shapesOfKinds } from '../../../../shared/conversion/kinds.ts';
import { parseShapes } from '../../../../shared/conversion/parse-shapes.ts';
import { ShapeBook } from '../../../../shared/conversion/shape.ts';

const book = new ShapeBook(
  parseShapes({
    v1: `
Thing { name string, size ?int, ratio ?*float64, part Part, parts
  ?[]Part, byName <>Part, value json, port ?intOrString, at time, after ?*v1.Part, names []string }
Part { text ?string }
`,
  }),
);
const codec = new Codec(book);

describe('a shape', () => {
  it('has the fields in their order, with their types', () => {
    expect([...book.fieldsOf('v1.Thing').values()].slice(1, 5)).toEqual([
      { name: 'size', isOptional: true, type: { is: 'int' } },
      { name: 'ratio', isOptional: true, type: { is: 'pointer', of: { is: 'float64' } } },
      { name: 'part', isOptional: false, type: { is: 'struct', name: 'v1.Part' } },
      { name: 'parts', isOptional: true, type: { is: 'list', of: { is: 'struct', name: 'v1.Part' } } },
    ]);
    expect(book.typeAt('v1.Thing', ['after', 'text'])).toEqual({ is: 'string' });
  });

  it('is an error if it is missing', () => {
    expect(() => book.fieldsOf('v1.Missing')).toThrow('There is no shape v1.Missing');
    expect(() => book.typeAt('v1.Thing', ['missing'])).toThrow('There is no field missing in v1.Thing');
    expect(() => book.typeAt('v1.Thing', ['size', 'x'])).toThrow('There is no shape int');
  });

  it('drops unknown fields, and writes fields that are always there', () => {
    expect(codec.encode('v1.Thing', codec.decode('v1.Thing', { name: 'a', more: 1 }))).toEqual({
      name: 'a',
      part: {},
      byName: null,
      value: null,
      at: null,
      names: null,
    });
  });

  it('keeps zeros behind pointers, in lists and in any JSON', () => {
    const json = {
      name: '',
      ratio: 0,
      part: { text: '' },
      parts: [{ text: '' }, null],
      byName: { z: { text: 'x' }, a: null },
      value: false,
      port: '',
      at: '2026-01-01T00:00:00Z',
      after: {},
      names: ['', null],
    };
    expect(codec.encode('v1.Thing', codec.decode('v1.Thing', json))).toEqual({
      ...json,
      part: {},
      parts: [{}, {}],
      byName: { a: {}, z: { text: 'x' } },
      port: undefined,
      names: ['', ''],
    });
  });

  it('has no time at the zero time', () => {
    expect(codec.decode('v1.Thing', { at: '0001-01-01T00:00:00Z' })).toEqual({});
  });

  it('leaves out empty lists', () => {
    expect(codec.encode('v1.Thing', codec.decode('v1.Thing', { parts: [] }))).not.toHaveProperty('parts');
  });

  it('reads a number or a text', () => {
    expect(codec.decode('v1.Thing', { port: 1 })).toEqual({ port: 1 });
    expect(codec.decode('v1.Thing', { port: 'x' })).toEqual({ port: 'x' });
  });
});

describe('the shapes of the kinds', () => {
  it('contain all types that they name', () => {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (!seen.has(name)) {
        seen.add(name);
        for (const { type } of shapesOfKinds().book.fieldsOf(name).values()) {
          let inner = type;
          while (inner.is === 'pointer' || inner.is === 'list' || inner.is === 'map') {
            inner = inner.of;
          }
          if (inner.is === 'struct') {
            visit(inner.name);
          }
        }
      }
    };
    for (const { kind, olderVersions } of convertibleKinds) {
      for (const version of ['v1beta2', ...olderVersions]) {
        visit(`${version}.${kind}`);
      }
    }
    expect(seen.size).toBeGreaterThan(200);
  });

  it('contain the fields of all rules', () => {
    for (const [pair, rules] of Object.entries(conversionRules)) {
      const [older = '', newer = ''] = pair.split(' ');
      for (const rule of rules) {
        expect(() => shapesOfKinds().book.typeAt(older, rule.older), pair).not.toThrow();
        expect(() => shapesOfKinds().book.typeAt(newer, rule.newer), pair).not.toThrow();
      }
    }
  });
});
