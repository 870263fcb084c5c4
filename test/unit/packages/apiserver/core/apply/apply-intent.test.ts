import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../../packages/apimachinery/json.ts';
import { apiVersion, ManagedObject, widgetSchema } from './managed-object.ts';

const first = {
  metadata: { name: 'w', labels: { a: 'b' } },
  spec: { mode: 'a', tags: ['x'], items: [{ name: 'p', v: 1 }] },
};

const itemP = { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:v': {} } };
const itemQ = { 'k:{"name":"q"}': { '.': {}, 'f:name': {}, 'f:v': {} } };

const labels = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };
const ofFirst = { ...labels, 'f:spec': { 'f:items': itemP, 'f:mode': {}, 'f:tags': { 'v:"x"': {} } } };
const ofSecond = { 'f:spec': { 'f:items': itemQ, 'f:mode': {}, 'f:tags': { 'v:"y"': {} } } };

function applied(): ManagedObject {
  const object = new ManagedObject();
  object.apply('m1', first);
  return object;
}

/** m2 has applied its own tags and items. Both managers apply the mode. */
function shared(): ManagedObject {
  const object = applied();
  object.apply('m2', { spec: { mode: 'a', tags: ['y'], items: [{ name: 'q', v: 2 }] } });
  return object;
}

describe('the first apply', () => {
  it('creates the object, and an entry of the applied fields', () => {
    expect(applied().owners).toEqual({ 'm1/Apply': ofFirst });
  });

  it('changes nothing when it is repeated, not even a time', () => {
    const object = applied();
    const before = object.live;
    object.apply('m1', first);
    expect(object.live).toEqual(before);
  });
});

describe('an object of several managers', () => {
  interface Example {
    readonly reason: string;
    readonly start: () => ManagedObject;
    readonly step: (object: ManagedObject) => unknown;
    readonly spec: unknown;
    readonly owners: JsonObject;
  }
  const examples: readonly Example[] = [
    {
      reason: 'members and items of a second manager are added to those of the first',
      start: applied,
      step: object => object.apply('m2', { spec: { tags: ['y'], items: [{ name: 'q', v: 2 }] } }),
      spec: {
        mode: 'a',
        tags: ['x', 'y'],
        items: [
          { name: 'p', v: 1 },
          { name: 'q', v: 2 },
        ],
      },
      owners: { 'm1/Apply': ofFirst, 'm2/Apply': { 'f:spec': { 'f:items': itemQ, 'f:tags': { 'v:"y"': {} } } } },
    },
    {
      reason: 'the same value has two owners',
      start: applied,
      step: object => object.apply('m2', { spec: { mode: 'a' } }),
      spec: first.spec,
      owners: { 'm1/Apply': ofFirst, 'm2/Apply': { 'f:spec': { 'f:mode': {} } } },
    },
    {
      reason: 'a field that one manager drops stays while another owns it, and is removed when none does',
      start: shared,
      step: object => object.apply('m1', { spec: { tags: ['x'] } }),
      spec: { mode: 'a', tags: ['x', 'y'], items: [{ name: 'q', v: 2 }] },
      owners: { 'm1/Apply': { 'f:spec': { 'f:tags': { 'v:"x"': {} } } }, 'm2/Apply': ofSecond },
    },
    {
      reason: 'force takes fields over',
      start: shared,
      step: object => object.apply('m2', { spec: { mode: 'b', tags: ['x'] } }, { force: true }),
      spec: { mode: 'b', tags: ['x'], items: [{ name: 'p', v: 1 }] },
      owners: {
        'm1/Apply': {
          ...labels,
          'f:spec': { 'f:items': itemP, 'f:tags': { 'v:"x"': {} } },
        },
        'm2/Apply': { 'f:spec': { 'f:mode': {}, 'f:tags': { 'v:"x"': {} } } },
      },
    },
    {
      reason: 'an update takes over changed fields from all managers',
      start: shared,
      step: object => object.patch('u1', { spec: { mode: 'c' } }),
      spec: { ...first.spec, mode: 'c', tags: ['x', 'y'], items: [...first.spec.items, { name: 'q', v: 2 }] },
      owners: {
        'm1/Apply': {
          ...labels,
          'f:spec': { 'f:items': itemP, 'f:tags': { 'v:"x"': {} } },
        },
        'm2/Apply': { 'f:spec': { 'f:items': itemQ, 'f:tags': { 'v:"y"': {} } } },
        'u1/Update': { 'f:spec': { 'f:mode': {} } },
      },
    },
    {
      reason: 'an update that writes the same value takes over nothing',
      start: applied,
      step: object => object.patch('u1', { spec: { mode: 'a', tags: ['x'] } }),
      spec: first.spec,
      owners: { 'm1/Apply': ofFirst },
    },
    {
      reason: 'a field that an update removes has no owner',
      start: shared,
      step: object => object.patch('u1', { spec: { items: [{ name: 'q', v: 2 }] } }),
      spec: { mode: 'a', tags: ['x', 'y'], items: [{ name: 'q', v: 2 }] },
      owners: {
        'm1/Apply': { ...labels, 'f:spec': { 'f:mode': {}, 'f:tags': { 'v:"x"': {} } } },
        'm2/Apply': ofSecond,
      },
    },
    {
      reason: 'an update that is overwritten by force has no entry',
      start() {
        const object = applied();
        object.patch('u1', { spec: { mode: 'c' } });
        return object;
      },
      step: object => object.apply('m1', first, { force: true }),
      spec: first.spec,
      owners: { 'm1/Apply': ofFirst },
    },
    {
      reason: 'an atomic value is replaced as a whole',
      start() {
        const object = new ManagedObject();
        object.apply('m1', { spec: { plain: ['x'], piece: { a: '1' } } });
        return object;
      },
      step: object => object.apply('m2', { spec: { plain: ['y'], piece: { b: '2' } } }, { force: true }),
      spec: { plain: ['y'], piece: { b: '2' } },
      owners: { 'm2/Apply': { 'f:spec': { 'f:piece': {}, 'f:plain': {} } } },
    },
    {
      reason: 'members of an untracked object belong to the manager before the first apply, and survive',
      start() {
        const object = new ManagedObject();
        object.apply('m1', { spec: { mode: 'a', lbl: { k: 'v' } } });
        object.patch('u1', { metadata: { managedFields: [{}] } });
        object.patch('u1', { spec: { mode: 'b' } });
        return object;
      },
      step: object => object.apply('m9', { spec: { mode: 'b' } }),
      spec: { mode: 'b', lbl: { k: 'v' } },
      owners: {
        'm9/Apply': { 'f:spec': { 'f:mode': {} } },
        'before-first-apply/Update': { 'f:spec': { '.': {}, 'f:lbl': { '.': {}, 'f:k': {} }, 'f:mode': {} } },
      },
    },
  ];

  it.each(examples)('$reason', ({ start, step, spec, owners }) => {
    const object = start();
    step(object);
    expect(object.spec).toEqual(spec);
    expect(object.owners).toEqual(owners);
  });

  it('removes a value that both owners dropped, one after the other', () => {
    const object = shared();
    object.apply('m1', { spec: { tags: ['x'] } });
    object.apply('m2', { spec: { tags: ['y'] } });
    expect(object.spec).toEqual({ tags: ['x', 'y'] });
  });

  it('drops a struct with its last field', () => {
    const object = applied();
    object.apply('m1', { spec: { struct: { c: { d: '1' } }, mode: 'a' } });
    object.apply('m1', { spec: { mode: 'a' } });
    expect(object.spec).toEqual({ mode: 'a' });
  });

  it('sets a map to null if a manager applies it and it lost its last member', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { lbl: { k: 'v' } } });
    object.apply('m2', { spec: { lbl: {} } });
    object.apply('m1', { spec: {} });
    expect(object.spec).toEqual({ lbl: null });
  });

  it('removes an unowned field with its struct', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { struct: { a: '1' }, mode: 'a' } });
    object.patch('u1', { spec: { struct: { b: '2' } } });
    object.patch('u1', {
      metadata: {
        managedFields: object.entries.filter(({ manager }) => manager === 'm1'),
      },
    });
    object.apply('m1', { spec: { mode: 'a' } });
    expect(object.spec).toEqual({ mode: 'a' });
  });

  it('removes a struct that its manager applies empty if only empty lists remain', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { tags: ['x'], ports: [], piece: {} } });
    object.apply('m1', { spec: {} });
    expect(object.spec).toBeUndefined();
  });
});

describe('a conflict', () => {
  it('is reported per field and owner, and changes nothing', () => {
    const object = shared();
    const before = object.live;
    const outcome = object.apply('m3', {
      metadata: { name: 'w', labels: { a: 'c' } },
      spec: { mode: 'b', items: [{ name: 'p', v: 3 }] },
    });
    expect(outcome).toEqual({
      kind: 'conflicts',
      conflicts: [
        { message: 'conflict with "m1"', field: '.metadata.labels.a' },
        { message: 'conflict with "m1"', field: '.spec.items[name="p"].v' },
        { message: 'conflict with "m1"', field: '.spec.mode' },
        { message: 'conflict with "m2"', field: '.spec.mode' },
      ],
    });
    expect(object.live).toBe(before);
  });

  it("includes the manager's own update, which is another owner", () => {
    const object = new ManagedObject();
    object.patch('x', { spec: { mode: 'a' } });
    expect(object.apply('x', { spec: { mode: 'b' } })).toEqual({
      kind: 'conflicts',
      conflicts: [{ message: `conflict with "x" using ${apiVersion}`, field: '.spec.mode' }],
    });
  });

  it('names the subresource of an update', () => {
    const object = applied();
    object.patch('u', { status: { phase: 'p' } }, { subresource: 'status' });
    expect(object.apply('s', { status: { phase: 'q' } }, { subresource: 'status' })).toMatchObject({
      conflicts: [{ message: `conflict with "u" with subresource "status" using ${apiVersion}` }],
    });
  });

  it('includes a value that a container replaces', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { free: { x: { a: 1 } } } });
    expect(object.apply('m2', { spec: { free: { x: 1 } } })).toMatchObject({
      conflicts: [{ field: '.spec.free.x' }],
    });
  });
});

describe('times', () => {
  it('are kept where an apply changes only owners', () => {
    const object = applied();
    object.apply('m2', { spec: { mode: 'a' } });
    expect(object.entries.map(({ manager, time }) => [manager, time])).toEqual([
      ['m2', undefined],
      ['m1', '2030-01-01T00:00:01Z'],
    ]);
  });

  it('are updated by every change of a field, owned or not', () => {
    const object = applied();
    object.apply('m1', { ...first, spec: { ...first.spec, mode: 'b' } });
    expect(object.entries).toMatchObject([{ manager: 'm1', time: '2030-01-01T00:00:02Z' }]);
  });
});

describe('a status', () => {
  it('is ignored by an apply to the object', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { mode: 'a' }, status: { phase: 'x' } });
    expect(object.owners).toEqual({ 'm1/Apply': { 'f:spec': { 'f:mode': {} } } });
  });

  it('may have an owner for each condition', () => {
    const object = applied();
    for (const type of ['A', 'B']) {
      const status = { conditions: [{ type, status: 'True' }] };
      object.apply(
        type,
        { metadata: { name: 'w', labels: { z: 'z' } }, spec: { mode: 'z' }, status },
        { subresource: 'status' },
      );
    }
    expect(object.live['status']).toEqual({
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'B', status: 'True' },
      ],
    });
    expect(object.owners).toMatchObject({
      'A/Apply/status': {
        'f:status': { 'f:conditions': { 'k:{"type":"A"}': { '.': {}, 'f:status': {}, 'f:type': {} } } },
      },
    });
    expect(Object.keys(object.owners['B/Apply/status'] ?? {})).toEqual(['f:status']);
  });
});

describe('an intent that does not fit', () => {
  it('is refused with every misfit', () => {
    const object = applied();
    const before = object.live;
    expect(object.apply('m2', { spec: { tags: ['a', 'a'], nope: 1 } })).toEqual({
      kind: 'misfit',
      problems: ['.spec.tags: duplicate entries for key "a"', '.spec.nope: field not declared in schema'],
    });
    expect(object.live).toBe(before);
  });
});

describe('a schema that changed', () => {
  function withSpec(change: JsonObject): unknown {
    const { spec } = widgetSchema.properties;
    return {
      ...widgetSchema,
      properties: { ...widgetSchema.properties, spec: { ...spec, properties: { ...spec.properties, ...change } } },
    };
  }
  const schema = withSpec({
    lbl: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
    items: { type: 'array', items: { type: 'object', properties: {} } },
  });

  it('assigns an atomic value to the owner of a part of it', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { lbl: { a: '1' }, items: [{ name: 'p' }], mode: 'a' } });
    object.patch('u1', { spec: { lbl: { b: '2' } } });
    object.patch('u2', { spec: { mode: 'b' } }, { schema });
    expect(object.owners).toEqual({
      'm1/Apply': { 'f:spec': { 'f:items': {}, 'f:lbl': {} } },
      'u1/Update': { 'f:spec': { 'f:lbl': {} } },
      'u2/Update': { 'f:spec': { 'f:mode': {} } },
    });
  });

  it('leaves only the container to the owner of a formerly atomic value', () => {
    const object = new ManagedObject();
    object.apply('m1', { spec: { lbl: { a: '1' } } }, { schema });
    object.patch('u2', { spec: { mode: 'b' } });
    expect(object.owners).toMatchObject({ 'm1/Apply': { 'f:spec': { 'f:lbl': {} } } });
  });
});
