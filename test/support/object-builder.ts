// The base class of all builders of test objects. Builders are immutable: every method returns a new builder.
import type {
  Instant,
  Intent,
  JsonObject,
  ObjectMeta,
  PartialObject,
  Unstructured,
} from '@capi-serverless/apimachinery';

const testNamespace = 'ns';

/** The default creation and deletion times of objects. */
export const testStart: Instant = Date.parse('2026-01-01T00:00:00Z');

/** An object, or the builder of one. */
export type Built<T extends PartialObject = PartialObject> = T | { build(): T };

export interface ConditionParts {
  readonly status?: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export function built<T extends PartialObject>(of: Built<T>): T {
  return 'build' in of && typeof of.build === 'function' ? of.build() : (of as T); // True: a value with a build function is a builder.
}

/** Formats timestamps like the API server: whole seconds, UTC. */
export function timestamp(instant: Instant): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');
}

export class ObjectBuilder {
  protected readonly object: Unstructured;

  constructor(object: { readonly apiVersion: string; readonly kind: string; readonly name: string }) {
    const { apiVersion, kind, name } = object;
    const metadata: ObjectMeta = {
      name,
      namespace: testNamespace,
      uid: '',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: timestamp(testStart),
    };
    this.object = { apiVersion, kind, metadata };
  }

  named(name: string): this {
    return this.withMetadata({ name });
  }

  in(namespace: string): this {
    return this.withMetadata({ namespace });
  }

  /** Removes the namespace, for cluster-scoped kinds. */
  clusterScoped(): this {
    const { namespace: _, ...metadata } = this.object.metadata;
    return this.with({ metadata });
  }

  withUid(uid: string): this {
    return this.withMetadata({ uid });
  }

  atResourceVersion(resourceVersion: string): this {
    return this.withMetadata({ resourceVersion });
  }

  atGeneration(generation: number): this {
    return this.withMetadata({ generation });
  }

  createdAt(instant: Instant): this {
    return this.createdAtText(timestamp(instant));
  }

  createdAtText(creationTimestamp: string): this {
    return this.withMetadata({ creationTimestamp });
  }

  labelled(labels: Readonly<Record<string, string>>): this {
    return this.withMetadata({ labels: { ...this.object.metadata.labels, ...labels } });
  }

  annotated(annotations: Readonly<Record<string, string>>): this {
    return this.withMetadata({ annotations: { ...this.object.metadata.annotations, ...annotations } });
  }

  withFinalizers(...finalizers: readonly string[]): this {
    return this.withMetadata({ finalizers: [...(this.object.metadata.finalizers ?? []), ...finalizers] });
  }

  ownedBy(owner: Built, flags: { readonly controller?: boolean; readonly blockOwnerDeletion?: boolean } = {}): this {
    const { apiVersion, kind, metadata } = built(owner);
    const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...flags };
    return this.withMetadata({ ownerReferences: [...(this.object.metadata.ownerReferences ?? []), reference] });
  }

  /** Marks the object as being deleted. In the memory API, it must have a finalizer. */
  deleting(at: Instant = testStart): this {
    return this.withMetadata({ deletionTimestamp: timestamp(at) });
  }

  /** Sets these fields of the spec. Other fields do not change. */
  withSpec(fields: JsonObject): this {
    return this.with({ spec: { ...fieldsOf(this.object.spec), ...fields } });
  }

  /** Sets these fields of the status. Other fields do not change. */
  withStatus(fields: JsonObject): this {
    return this.with({ status: { ...fieldsOf(this.object.status), ...fields } });
  }

  /** Sets one condition in `status.conditions`. */
  withCondition(type: string, parts: ConditionParts = {}): this {
    const condition = {
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: timestamp(testStart),
      ...parts,
    };
    return this.withStatus({ conditions: withItem(fieldsOf(this.object.status)['conditions'], condition) });
  }

  /** Sets one condition in `status.deprecated.v1beta1.conditions`. */
  withV1Beta1Condition(
    type: string,
    parts: Omit<ConditionParts, 'observedGeneration'> & { readonly severity?: string } = {},
  ): this {
    const condition = { type, status: 'True', lastTransitionTime: timestamp(testStart), ...parts };
    const deprecated = fieldsOf(fieldsOf(this.object.status)['deprecated']);
    const v1beta1 = fieldsOf(deprecated['v1beta1']);
    const conditions = withItem(v1beta1['conditions'], condition);
    return this.withStatus({ deprecated: { ...deprecated, v1beta1: { ...v1beta1, conditions } } });
  }

  /** Returns the object as if the API server had stored it. The default uid is readable. */
  build(): Unstructured {
    const { kind, metadata } = this.object;
    const uid = metadata.uid === '' ? `uid-of-${kind.toLowerCase()}-${metadata.name}` : metadata.uid;
    return { ...this.object, metadata: { ...metadata, uid } };
  }

  /** Returns the object as a client would create it, without fields that the API server sets. */
  intent(): Intent {
    const { apiVersion, kind, spec } = this.object;
    const { name, namespace, labels, annotations, finalizers, ownerReferences } = this.object.metadata;
    const given = { namespace, labels, annotations, finalizers, ownerReferences };
    const present = Object.entries(given).filter(([, value]) => value !== undefined);
    return {
      apiVersion,
      kind,
      metadata: { name, ...Object.fromEntries(present) },
      ...(spec === undefined ? {} : { spec }),
    };
  }

  protected withMetadata(change: Partial<ObjectMeta>): this {
    return this.with({ metadata: { ...this.object.metadata, ...change } });
  }

  protected with(change: Partial<Unstructured>): this {
    const object = { ...this.object, ...change };
    // True: the copy has the prototype of this builder and all of its fields.
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, { object }) as this;
  }
}

export function fieldsOf(value: unknown): JsonObject {
  // True: a value with type object that is neither a list nor null is a record.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Returns the list in which this item replaces the item of the same type. */
function withItem(list: unknown, item: { readonly type: string }): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return [...items.filter(each => fieldsOf(each)['type'] !== item.type), item];
}
