// Objects from a seed: the fields of a kind in one version, with ordinary values and edge values.
import { type ConvertibleKind, shapesOfKinds } from '../../shared/conversion/kinds.ts';
import type { Scalar } from '../../shared/conversion/parse-shapes.ts';
import type { FieldType } from '../../shared/conversion/shape.ts';
import { createRandom, type Random } from '../simulation/engine/random.ts';

const deepest = 7;

const texts = ['', 'a', 'web', 'x-1', 'v1.34.1', '<&>', 'é', 'Running', 'Updating', 'true', '0'] as const;
const references = {
  apiVersion: ['', 'v1', 'infra.example.com/v1beta1', 'infra.example.com/v1beta2', '/', 'a/', '/b', 'a/b/c'],
  apiGroup: ['', 'infra.example.com', 'apps'],
  kind: ['', 'Node', 'DockerMachine', 'Thing', 'Unknown'],
} as const;
const times = [
  '2026-01-01T00:00:00Z',
  '2026-11-29T10:11:12Z',
  '2026-01-01T02:00:00+01:30',
  '2026-01-01T00:00:00.987654321Z',
  '1969-12-31T23:59:59Z',
] as const;
const durations = [
  '0s',
  '0',
  '10s',
  '1h30m',
  '1500ms',
  '-5s',
  '-1.5s',
  '10m',
  '999999h',
  '1.5h',
  '2540400h10m10s',
  '100ns',
] as const;
const numbers = [0, 1, 2, 5, 30, 600, -1, 2_147_483_647] as const;
const values = [null, false, true, 0, 1, '', 'x', [], {}, { a: [1, { b: null }] }, ['<'], '2026-01-01'] as const;

/** Lists whose items have unique names, as the schemas demand. */
const uniqueFields: Readonly<Record<string, readonly string[]>> = {
  ClusterClassPatch: ['name'],
  ClusterClassVariable: ['name'],
  ClusterClassStatusVariable: ['name'],
  ClusterClassStatusVariableDefinition: ['from'],
};

/** Returns objects of a kind in a version, in order. The same seed gives the same objects. */
export function generateObjects(
  seed: string,
  { group, kind }: ConvertibleKind,
  version: string,
  count: number,
): readonly Readonly<Record<string, unknown>>[] {
  const random = createRandom(`${seed}/${kind}/${version}`);
  return Array.from({ length: count }, () => {
    const writer = new ObjectWriter(random, random.pick([0.1, 0.35, 0.6, 0.9]));
    const { kind: _, apiVersion: __, metadata: ___, ...fields } = writer.struct(`${version}.${kind}`, 0);
    return { apiVersion: `${group}/${version}`, kind, metadata: writer.metadata(), ...fields };
  });
}

class ObjectWriter {
  readonly #random: Random;
  readonly #density: number;

  constructor(random: Random, density: number) {
    this.#random = random;
    this.#density = density;
  }

  metadata(): Readonly<Record<string, unknown>> {
    const { chance } = this.#random;
    return {
      name: 'x',
      ...(chance(0.8) ? { namespace: 'ns' } : {}),
      ...(chance(0.4) ? { labels: this.#map({ is: 'string' }, deepest) } : {}),
      ...(chance(0.2) ? { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } } : {}),
      ...(chance(0.4) ? { annotations: this.#map({ is: 'string' }, deepest) } : {}),
      ...(chance(0.05)
        ? { annotations: { 'cluster.x-k8s.io/conversion-data': this.#random.pick(['{}', 'null', 'x', '{"a":1}']) } }
        : {}),
      ...(chance(0.1)
        ? {
            annotations: {
              'conversion.cluster.x-k8s.io/cluster-name-label-set': this.#random.pick(['false', 'true', '']),
            },
          }
        : {}),
    };
  }

  struct(name: string, depth: number, unique?: number): Record<string, unknown> {
    const { chance } = this.#random;
    const json: Record<string, unknown> = {};
    const type = name.slice(name.indexOf('.') + 1);
    for (const { name: field, type: fieldType } of shapesOfKinds().book.fieldsOf(name).values()) {
      const isOutline = depth === 0 || ['template', 'topology', 'workers', 'deprecated', 'v1beta2'].includes(field);
      if (unique !== undefined && uniqueFields[type]?.includes(field) === true) {
        json[field] = `${this.#random.pick(['a', 'b', 'c', 'd'])}${unique}`;
      } else if (chance(isOutline ? Math.max(this.#density, 0.7) : this.#density)) {
        json[field] = chance(0.01) ? null : this.#value(fieldType, field, depth + 1);
      }
    }
    if (chance(0.02)) {
      json['unknownField'] = 1;
    }
    return json;
  }

  #value(type: FieldType, field: string, depth: number): unknown {
    switch (type.is) {
      case 'pointer':
        return this.#value(type.of, field, depth);
      case 'struct':
        return depth > deepest ? {} : this.struct(type.name, depth);
      case 'list':
        return depth > deepest ? [] : this.#list(type.of, field, depth);
      case 'map':
        return this.#map(type.of, depth);
      default:
        return this.#scalar(type.is, field);
    }
  }

  #list(of: FieldType, field: string, depth: number): unknown {
    return Array.from({ length: this.#random.below(depth > 4 ? 2 : 4) }, (_, index) =>
      this.#random.chance(0.03)
        ? null
        : of.is === 'struct'
          ? this.struct(of.name, depth + 1, index)
          : this.#value(of, field, depth + 1),
    );
  }

  #map(of: FieldType, depth: number): unknown {
    const keys = ['a', 'b', 'z', '', '__proto__', 'constructor'].filter(() =>
      this.#random.chance(depth > 4 ? 0.15 : 0.3),
    );
    return Object.fromEntries(
      keys.map(key => [key, depth > deepest && of.is !== 'string' ? {} : this.#value(of, key, depth + 1)]),
    );
  }

  #scalar(is: Scalar, field: string): unknown {
    const { pick, chance } = this.#random;
    switch (is) {
      case 'string':
        return field in references && chance(0.9) ? pickText(this.#random, field) : pick(texts);
      case 'bytes':
        return pick(['', 'YQ==', 'AAAA']);
      case 'bool':
        return chance(0.5);
      case 'int':
        return pick(numbers);
      case 'float64':
        return pick([0, 0.5, 2]);
      case 'time':
        return chance(0.002) ? '0001-01-01T00:00:00Z' : pick(times);
      case 'duration':
        return chance(0.002) ? 'soon' : pick(durations);
      case 'intOrString':
        return pick([0, 1, '20%', '', 'x']);
      case 'json':
        return pick(values);
      case 'metadata':
        return {};
    }
  }
}

function pickText(random: Random, field: string): string {
  const list: readonly string[] = references[field as keyof typeof references] ?? ['']; // true: the caller found it there
  // Texts at the end are errors, and rare.
  const limit = random.chance(0.01) ? list.length : list.length - 1;
  return list[random.below(limit)] ?? '';
}
